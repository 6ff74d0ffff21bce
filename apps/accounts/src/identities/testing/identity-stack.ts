import type { ProblemCode } from '#contracts';
import { testDatabase, type TestDatabase, testRedisUrl } from '#testing';
import type { AccountsEnv } from '../../env.js';
import { KeyCipher } from '../../keys/key.crypto.js';
import { KeyRepository } from '../../keys/key.repository.js';
import { MailClient } from '../../mail/mail.client.js';
import { MailLinkRepository } from '../../mail/mail-link.repository.js';
import { SignInRateLimiter } from '../../sessions/sign-in.limiter.js';
import { SessionQueries } from '../../sessions/session.queries.js';
import { AccessTokenEntity } from '../../tokens/access-token.entity.js';
import { generateToken, hashToken } from '../../tokens/token.crypto.js';
import { UserEntity } from '../../users/user.entity.js';
import { UserRepository } from '../../users/user.repository.js';
import { IdentityQueries } from '../identity.queries.js';
import { IdentityRepository } from '../identity.repository.js';
import { IdentityService } from '../identity.service.js';
import { OpenIdProviderClient } from '../openid-provider.client.js';
import { client } from './openid-client.js';
import { type OpenIdProvider, openIdProvider } from './openid-provider.js';
import { type TamperingProvider, tamperingProvider } from './tampering-provider.js';

type SignInResult = Awaited<ReturnType<IdentityService['finish']>>;

export const visitor = { address: '192.0.2.1', userAgent: 'Tests', language: 'en' as const };

/** Returns a matcher for an error with this code, for `toMatchObject`. */
export const problemWith = (value: ProblemCode) => ({ kind: { code: value } });

/**
 * Identity service with a real database and two providers: `real`, and `mallory`, whose responses a
 * test tampers with.
 */
export class IdentityStack {
  private constructor(
    readonly db: TestDatabase,
    readonly real: OpenIdProvider,
    readonly mallory: TamperingProvider,
    readonly users: UserRepository,
    readonly sessions: SessionQueries,
    readonly service: IdentityService,
    readonly limiter: SignInRateLimiter,
  ) {}

  /** @param baseUrl of the shop */
  static async start(baseUrl: string): Promise<IdentityStack> {
    const db = await testDatabase('accounts', [UserEntity, AccessTokenEntity]);
    const [real, mallory] = await Promise.all([
      openIdProvider(`${baseUrl}/sign-in/with/real/callback`),
      tamperingProvider(),
    ]);
    const limiter = new SignInRateLimiter({ REDIS_REQUESTS_URL: testRedisUrl() } as AccountsEnv);
    // On a busy machine Redis exceeds the default timeout
    limiter.redisTimeoutMs = 20_000;
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
      new IdentityRepository(
        db.database,
        users,
        new MailLinkRepository(db.database, new MailClient({} as AccountsEnv)),
      ),
      new IdentityQueries(db.database),
      limiter,
      users,
    );
    return new IdentityStack(db, real, mallory, users, new SessionQueries(db.database), service, limiter);
  }

  async close(): Promise<void> {
    this.limiter.onApplicationShutdown();
    await Promise.all([this.real.close(), this.mallory.close(), this.db.close()]);
  }

  async reset(): Promise<void> {
    this.mallory.tampering = {};
    this.mallory.requests.length = 0;
    for (const rows of ['users where id > 0', 'identity_attempts', 'identity_tickets'])
      await this.query(`delete from ${rows}`);
  }

  query(sql: string): Promise<Record<string, unknown>[]> {
    return this.db.database.query(sql);
  }

  /** @returns the URL that the browser is redirected to */
  async begin(browserToken: string, provider = 'real', userId: number | null = null): Promise<string> {
    // A different address each time, because these tests do not exercise the rate limit
    const from = { ...visitor, address: generateToken() };
    return (await this.service.begin({ provider, browserToken, userId, returnTo: '/account?a=1', visitor: from })).url;
  }

  finish(browserToken: string, parameters: Record<string, string>, provider = 'real'): Promise<SignInResult> {
    return this.service.finish({ provider, browserToken, parameters, visitor });
  }

  /** Signs in at the real provider, and returns the result of the callback. */
  async signIn(login: string, browserToken = generateToken(), userId: number | null = null): Promise<SignInResult> {
    return this.finish(browserToken, await this.real.signIn(await this.begin(browserToken, 'real', userId), login));
  }

  /** Signs in a user who has the identity already. */
  async sessionOf(login: string): Promise<string> {
    const result = await this.signIn(login);
    if (result.outcome !== 'signed-in') throw new Error(result.outcome);
    return result.session;
  }

  /** Signs in a new user, and returns the ticket and the suggestion. */
  async newUser(login: string) {
    const browserToken = generateToken();
    const result = await this.signIn(login, browserToken);
    if (result.outcome !== 'new') throw new Error(result.outcome);
    return { ...result, browserToken };
  }

  signUp(name: string, it: { ticket: string; browserToken: string }, email = `${name}@example.com`) {
    return this.service.signUp({ ticket: it.ticket, browserToken: it.browserToken, name, email, visitor });
  }

  /** Adds a signed-in user. @returns the id and the value of the session cookie */
  async addSignedInUser(
    name: string,
    passwordHash: string | null = 'the hash of something',
  ): Promise<{ id: number; browserToken: string }> {
    const [token, browserToken] = [generateToken(), generateToken()];
    const user = { name, email: `${name}@example.com`, displayName: null, passwordHash };
    const id = await this.users.create(user, { token, hash: hashToken(token) });
    await this.db.database.query(
      `insert into sessions (hash, user_id, expires_at) values ($1, $2, now() + interval '1 hour')`,
      [hashToken(browserToken), id],
    );
    return { id, browserToken };
  }
}
