import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { DomainError } from '#kernel';
import { Database, serviceDataSource } from '#persistence';
import { eventually } from '#testing';
import type { AccountsEnv } from '../env.js';
import { ApplicationRepository } from '../applications/application.repository.js';
import { AuthorizationRepository } from '../oauth/authorization.repository.js';
import { InvalidGrantError } from '../oauth/oauth.errors.js';
import { IssuedTokenRepository } from '../oauth/issued-token.repository.js';
import { OAuthStack, type TestApplication } from '../testing/oauth-stack.js';
import { generateToken, hashToken, hashToHex } from '../tokens/token.crypto.js';
import { KeyCipher } from '../keys/key.crypto.js';
import { KeyRepository } from '../keys/key.repository.js';
import { MailClient } from '../mail/mail.client.js';
import { MailLinkRepository } from '../mail/mail-link.repository.js';
import { MemberRepository } from '../users/member.repository.js';
import { ConsentRepository } from './consent.repository.js';

let stack: OAuthStack;
let database: Database;

const tokensEach = 25;

beforeAll(async () => {
  stack = await OAuthStack.start();
  const { url } = stack.db;
  // More connections than the writers below: otherwise the writers would wait for connections
  // instead of locks
  database = new Database(
    await serviceDataSource({ service: 'accounts', url, poolSize: 24, entities: [] }).initialize(),
  );
});
afterAll(async () => {
  if (database.source.isInitialized) await database.source.destroy();
  await stack.db.close();
});

/**
 * Adds a consent and token families of each user for each application. @returns the hashes of the
 * access tokens
 */
async function addConsents(users: readonly number[], apps: readonly TestApplication[]): Promise<string[]> {
  const names: string[] = [];
  for (const userId of users)
    for (const { id } of apps) {
      const ids = [userId, id];
      await database.query(
        `insert into consents (user_id, application_id, scopes) values ($1, $2, '{read,write}')`,
        ids,
      );
      const [access, codes] = [0, 1].map(() => Array.from({ length: tokensEach }, () => randomBytes(32)));
      await database.query(
        `insert into access_tokens (hash, user_id, application_id, scopes, kind, code_hash)
         select hash, $1, $2, '{read,write}', 'token', code from unnest($3::bytea[], $4::bytea[]) as t (hash, code)`,
        [...ids, access, codes],
      );
      await database.query(
        `insert into refresh_tokens (hash, user_id, application_id, scopes, code_hash, expires_at)
         select sha256(hash), $1, $2, '{read,write}', code, now() + interval '1 day'
         from unnest($3::bytea[], $4::bytea[]) as t (hash, code)`,
        [...ids, access, codes],
      );
      names.push(...access!.map(hashToHex));
    }
  return names;
}

/**
 * Returns the number of deadlocks. Closes all sessions first, because PostgreSQL may add the
 * deadlocks of a session to its statistics only when the session ends.
 */
async function countDeadlocks(): Promise<number> {
  await Promise.all([database, stack.db.database].map(({ source }) => source.destroy()));
  const owner = new pg.Client(stack.db.ownerUrl);
  await owner.connect();
  try {
    await eventually('the end of the sessions', async () => {
      const { rows } = await owner.query(
        `select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      return rows.length === 0;
    });
    const { rows } = await owner.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    return Number(rows[0]!.deadlocks);
  } finally {
    await owner.end();
  }
}

it('concurrent deletions, revocations, changes of applications and token requests never deadlock', async () => {
  const env = { ACCESS_TOKEN_TTL: 60, REFRESH_TOKEN_TTL: 86_400 } as AccountsEnv;
  const keys = new KeyRepository(database, new KeyCipher('a secret of at least thirty-two characters'));
  const links = new MailLinkRepository(database, new MailClient({} as AccountsEnv));
  const [consents, members] = [new ConsentRepository(database), new MemberRepository(database, keys, links)];
  const [applications, codes] = [new ApplicationRepository(database), new AuthorizationRepository(database)];
  const issuedTokens = new IssuedTokenRepository(database, env);
  const redirectUris = ['https://a.example.com/'];
  const registration = { name: 'n', description: '', homePage: null, redirectUris, namesIssuer: false };

  for (let round = 0; round < 3; round++) {
    const names = ['a', 'b', 'c', 'd'].map((name) => `${name}${round}`);
    const users = await Promise.all(names.map((name) => stack.addUser(name)));
    const apps = await Promise.all([0, 1, 2].map((n) => stack.addApplication(users[n]!)));
    const tokens = await addConsents(users, apps);
    const newCode = { scopes: ['read'] as const, redirectUri: 'https://a.example.com/', codeChallenge: null };
    const operations = [
      ...users.flatMap((userId) =>
        apps.map(
          ({ id }) =>
            () =>
              consents.revoke(userId, id),
        ),
      ),
      ...apps.map(
        ({ id }, n) =>
          () =>
            applications.update({ ownerId: users[n]!, applicationId: id }, { ...registration, scopes: ['read'] }),
      ),
      () => applications.delete({ ownerId: null, applicationId: apps[round % 3]!.id }),
      ...[round % 4, (round + 1) % 4].map((n) => () => members.deleteByName(names[n]!)),
      ...users.map((userId, n) => async () => {
        const parties = { userId, applicationId: apps[n % 3]!.id };
        const code = generateToken();
        if (!(await codes.issueCode({ ...newCode, ...parties, code }, true))) return;
        const newTokens = {
          accessToken: generateToken(),
          refreshToken: generateToken(),
          ...parties,
          scopes: newCode.scopes,
        };
        await issuedTokens.issueForCode(hashToken(code), newTokens);
        tokens.push(hashToHex(hashToken(newTokens.accessToken)));
      }),
    ];
    const shuffledOperations = operations
      .map((act) => ({ act, at: Math.random() }))
      .sort((one, other) => one.at - other.at);
    const settled = await Promise.allSettled(shuffledOperations.map(({ act }) => act()));
    const failed = settled.flatMap((it) => (it.status === 'rejected' ? [it.reason as unknown] : []));
    // Some rows are missing because a concurrent operation deleted them; no other error is expected
    expect(failed.filter((it) => !(it instanceof DomainError || it instanceof InvalidGrantError))).toEqual([]);
    for (const userId of users) for (const { id } of apps) await consents.revoke(userId, id);

    const alive = await database.query('select from access_tokens union all select from refresh_tokens');
    const revoked = new Set(await stack.revokedTokens());
    expect([alive.length, tokens.filter((name) => !revoked.has(name)).length]).toEqual([0, 0]);
  }
  expect(await countDeadlocks()).toBe(0);
});
