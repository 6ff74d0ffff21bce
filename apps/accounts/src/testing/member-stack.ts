import type { ProblemCode } from '#contracts';
import { testDatabase, testRedisUrl } from '#testing';
import type { AccountsEnv } from '../env.js';
import { generateKey } from '../keys/key.rules.js';
import { KeyCipher } from '../keys/key.crypto.js';
import { KeyRepository } from '../keys/key.repository.js';
import { MailClient } from '../mail/mail.client.js';
import { MailLinkRepository } from '../mail/mail-link.repository.js';
import { MailService } from '../mail/mail.service.js';
import { SignInRateLimiter } from '../sessions/sign-in.limiter.js';
import { SessionQueries } from '../sessions/session.queries.js';
import { SessionRepository } from '../sessions/session.repository.js';
import { SessionService } from '../sessions/session.service.js';
import { AccessTokenEntity } from '../tokens/access-token.entity.js';
import { MemberRepository } from '../users/member.repository.js';
import { MemberService } from '../users/member.service.js';
import { hashPassword } from '../users/password.crypto.js';
import { UserEntity } from '../users/user.entity.js';
import { type NewUser, UserRepository } from '../users/user.repository.js';

export const password = 'correct horse';
export const visitor = { address: '192.0.2.1', userAgent: 'Test/1.0', language: 'en' as const };

/** Returns a matcher for an error with this code, for `toMatchObject`. */
export const problemWith = (code: ProblemCode) => ({ kind: { code } });

/**
 * Services of user accounts with a separate database and Redis.
 *
 * @param mailSettings SMTP_URL and MAIL_FROM; mail is disabled without them
 */
export async function memberStack(mailSettings: Partial<AccountsEnv> = {}) {
  const db = await testDatabase('accounts', [UserEntity, AccessTokenEntity]);
  const { database } = db;
  const limiter = new SignInRateLimiter({ REDIS_REQUESTS_URL: testRedisUrl() } as AccountsEnv);
  // On a busy machine Redis exceeds the default timeout
  limiter.redisTimeoutMs = 20_000;
  const keys = new KeyRepository(database, new KeyCipher('a secret of at least thirty-two characters'));
  const users = new UserRepository(database, keys);
  const mail = new MailClient(mailSettings as AccountsEnv);
  const links = new MailLinkRepository(database, mail);
  const memberRepository = new MemberRepository(database, keys, links);
  const sessionRepository = new SessionRepository(database);
  const passwordHash = await hashPassword(password);
  return {
    db,
    database,
    limiter,
    passwordHash,
    sessionRepository,
    members: new MemberService(memberRepository, users, limiter, links, sessionRepository),
    mail: new MailService(mail, links, memberRepository, limiter, database),
    sessions: new SessionService(sessionRepository, memberRepository, limiter),
    queries: new SessionQueries(database),
    /** Adds a user with `password`, whose hash is computed once. @returns the id */
    add: (name: string, fields: Partial<NewUser> = {}) =>
      users.create({ name, email: `${name}@example.com`, displayName: null, passwordHash, ...fields }, generateKey()),
    /** Returns the number of rows of a FROM clause. */
    count: async (from: string): Promise<number> =>
      (await database.query<{ count: number }>(`select count(*) as count from ${from}`))[0]!.count,
    /** Returns the number of PostgreSQL sessions that wait for a lock. */
    waiting: async (): Promise<number> =>
      (
        await database.query<{ count: number }>(
          `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      )[0]!.count,
    close: async () => {
      limiter.onApplicationShutdown();
      await db.close();
    },
  };
}
export type MemberStack = Awaited<ReturnType<typeof memberStack>>;
