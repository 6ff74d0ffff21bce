import type { ProblemCode } from '#contracts';
import { testDatabase, type TestDatabase, testRedisUrl } from '#testing';
import type { AccountsEnv } from '../../env.js';
import { KeyCipher } from '../../keys/key.crypto.js';
import { KeyRepository } from '../../keys/key.repository.js';
import { SignInRateLimiter } from '../../sessions/sign-in.limiter.js';
import { SessionQueries } from '../../sessions/session.queries.js';
import { AccessTokenEntity } from '../../tokens/access-token.entity.js';
import { freshToken, hashToken } from '../../tokens/token.crypto.js';
import { UserEntity } from '../../users/user.entity.js';
import { UserRepository } from '../../users/user.repository.js';
import { IdentityQueries } from '../identity.queries.js';
import { IdentityRepository } from '../identity.repository.js';
import { IdentityService } from '../identity.service.js';
import { OpenIdProviderClient } from '../openid-provider.client.js';
import { client } from './openid-client.js';
import { type OpenIdProvider, openIdProvider } from './openid-provider.js';
import { type TamperingProvider, tamperingProvider } from './tampering-provider.js';

type Arrival = Awaited<ReturnType<IdentityService['finish']>>;

export const visitor = { address: '192.0.2.1', userAgent: 'Tests' };

/** What a refusal with this code has, for `toMatchObject`. */
export const code = (value: ProblemCode) => ({ kind: { code: value } });

/** The service between a real database and two providers: `real`, and `mallory`, who answers as a test wants it. */
export class IdentityStack {
  private constructor(
    readonly db: TestDatabase,
    readonly real: OpenIdProvider,
    readonly mallory: TamperingProvider,
    readonly users: UserRepository,
    readonly sessions: SessionQueries,
    readonly service: IdentityService,
    readonly attempts: SignInRateLimiter,
  ) {}

  /** @param baseUrl of the shop */
  static async start(baseUrl: string): Promise<IdentityStack> {
    const db = await testDatabase('accounts', [UserEntity, AccessTokenEntity]);
    const [real, mallory] = await Promise.all([
      openIdProvider(`${baseUrl}/sign-in/with/real/callback`),
      tamperingProvider(),
    ]);
    const attempts = new SignInRateLimiter({ REDIS_REQUESTS_URL: testRedisUrl() } as AccountsEnv);
    // On a busy machine Redis takes longer than it may
    attempts.answerWithinMs = 20_000;
    const cipher = new KeyCipher('a secret of at least thirty-two characters');
    const users = new UserRepository(db.database, new KeyRepository(db.database, cipher));
    const providers = Object.entries({ real, mallory }).map(([name, { issuer }]) => ({
      name,
      label: name,
      issuer,
      clientId: client.id,
      clientSecret: client.secret,
    }));
    const service = new IdentityService(
      new OpenIdProviderClient({ BASE_URL: baseUrl, OIDC_PROVIDERS: providers } as AccountsEnv),
      new IdentityRepository(db.database, users),
      new IdentityQueries(db.database),
      attempts,
    );
    return new IdentityStack(db, real, mallory, users, new SessionQueries(db.database), service, attempts);
  }

  async close(): Promise<void> {
    this.attempts.onApplicationShutdown();
    await Promise.all([this.real.close(), this.mallory.close(), this.db.close()]);
  }

  async reset(): Promise<void> {
    this.mallory.tampering = {};
    this.mallory.asked.length = 0;
    for (const rows of ['users where id > 0', 'identity_attempts', 'identity_tickets'])
      await this.rows(`delete from ${rows}`);
  }

  rows(sql: string): Promise<Record<string, unknown>[]> {
    return this.db.database.query(sql);
  }

  /** @returns the address that the browser of the visit is sent to */
  async begin(visit: string, provider = 'real', userId: number | null = null): Promise<string> {
    // Each from somewhere else: how many set out from one address is not what these tests are about
    const from = { ...visitor, address: freshToken() };
    return (await this.service.begin({ provider, visit, userId, returnTo: '/account?a=1', visitor: from })).url;
  }

  finish(visit: string, parameters: Record<string, string>, provider = 'real'): Promise<Arrival> {
    return this.service.finish({ provider, visit, parameters, visitor });
  }

  /** What the browser of a visit gets after signing in at the real provider. */
  async arrive(login: string, visit = freshToken(), userId: number | null = null): Promise<Arrival> {
    return this.finish(visit, await this.real.signIn(await this.begin(visit, 'real', userId), login));
  }

  /** The session of somebody who is known. */
  async sessionOf(login: string): Promise<string> {
    const arrival = await this.arrive(login);
    if (arrival.outcome !== 'signed-in') throw new Error(arrival.outcome);
    return arrival.session;
  }

  /** What somebody gets who is not known. */
  async newcomer(login: string) {
    const visit = freshToken();
    const arrival = await this.arrive(login, visit);
    if (arrival.outcome !== 'new') throw new Error(arrival.outcome);
    return { ...arrival, visit };
  }

  signUp(name: string, it: { ticket: string; visit: string }, email = `${name}@example.com`) {
    return this.service.signUp({ ticket: it.ticket, visit: it.visit, name, email, visitor });
  }

  /** A user who is signed in, with the value of the cookie. */
  async member(
    name: string,
    passwordHash: string | null = 'the hash of something',
  ): Promise<{ id: number; visit: string }> {
    const [token, visit] = [freshToken(), freshToken()];
    const user = { name, email: `${name}@example.com`, displayName: null, passwordHash };
    const id = await this.users.create(user, { token, hash: hashToken(token) });
    await this.db.database.query(
      `insert into sessions (hash, user_id, expires_at) values ($1, $2, now() + interval '1 hour')`,
      [hashToken(visit), id],
    );
    return { id, visit };
  }
}
