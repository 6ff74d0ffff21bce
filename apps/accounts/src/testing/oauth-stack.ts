import { createHash, randomBytes } from 'node:crypto';
import type { OAuthResponse, OAuthParameters, PayloadOf, Scope, Services } from '#contracts';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import type { AccountsEnv } from '../env.js';
import { AuthorizationEvaluator } from '../oauth/authorization.adapter.js';
import { AuthorizationRepository } from '../oauth/authorization.repository.js';
import { AuthorizationService } from '../oauth/authorization.service.js';
import { ClientQueries } from '../oauth/client.queries.js';
import { ClientService } from '../oauth/client.service.js';
import { IntrospectionQueries } from '../oauth/introspection.queries.js';
import { IssuedTokenRepository } from '../oauth/issued-token.repository.js';
import { OAuthService } from '../oauth/oauth.service.js';
import { generateToken, hashToken } from '../tokens/token.crypto.js';

type Pairs = Readonly<Record<string, string | undefined>>;
type Authorize = PayloadOf<Services['accounts'], 'oauth.authorize'>;

/** Registered application. `secret` is null for a public one. */
export interface TestApplication {
  readonly id: number;
  readonly clientId: string;
  readonly secret: string | null;
  readonly redirectUri: string;
}

/** Returns a verifier and its challenge (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Returns parameters in the form in which the gateway sends them, without undefined ones. */
export const parameters = (pairs: Pairs, repeated: string[] = []): OAuthParameters => ({
  given: Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined)) as Record<string, string>,
  repeated,
});

/** Returns an HTTP Basic header with form-encoded client id and secret. */
export const basic = (id: string, secret: string): string => {
  const encoded = [id, secret].map((part) => encodeURIComponent(part).replaceAll('%20', '+')).join(':');
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
};

/** OAuth server with a separate database. */
export class OAuthStack {
  readonly authorizations: AuthorizationService;
  readonly oauth: OAuthService;

  private constructor(readonly db: TestDatabase) {
    this.authorizations = this.createAuthorizationService();
    this.oauth = this.withLifetime(0);
  }

  static async start(): Promise<OAuthStack> {
    return new OAuthStack(await testDatabase('accounts'));
  }

  /**
   * Returns an OAuth service with another lifetime of access tokens in seconds; with 0, tokens do
   * not expire.
   */
  withLifetime(seconds: number): OAuthService {
    const { database } = this.db;
    const env = {
      ACCESS_TOKEN_TTL: seconds,
      REFRESH_TOKEN_TTL: 86_400,
      BASE_URL: 'https://shop.example.com',
    } as AccountsEnv;
    return new OAuthService(
      new ClientService(new ClientQueries(database)),
      new AuthorizationRepository(database),
      new IssuedTokenRepository(database, env),
      new IntrospectionQueries(database, env),
    );
  }

  private createAuthorizationService(): AuthorizationService {
    const { database } = this.db;
    const evaluator = new AuthorizationEvaluator(new ClientQueries(database));
    const env = { BASE_URL: 'https://shop.example.com' } as AccountsEnv;
    return new AuthorizationService(evaluator, new AuthorizationRepository(database), env);
  }

  async addUser(name: string): Promise<number> {
    const [user] = await this.db.database.query<{ id: number }>(
      'insert into users (name, email) values ($1, $2) returning id',
      [name, `${name}@example.com`],
    );
    return user!.id;
  }

  async addApplication(
    ownerId: number,
    options: { public?: boolean; redirectUri?: string; scopes?: readonly Scope[]; namesIssuer?: boolean } = {},
  ): Promise<TestApplication> {
    const {
      redirectUri = 'https://app.example.com/callback',
      scopes = ['read', 'write'],
      namesIssuer = false,
    } = options;
    const secret = options.public ? null : generateToken();
    const clientId = generateToken();
    const [row] = await this.db.database.query<{ id: number }>(
      `insert into applications (owner_id, client_id, name, description, redirect_uris, scopes, confidential, secret_hash,
         names_issuer)
       values ($1, $2, 'Cat Shirts', 'Shirts with cats.', $3, $4, $5, $6, $7) returning id`,
      [ownerId, clientId, [redirectUri], scopes, secret !== null, secret && hashToken(secret), namesIssuer],
    );
    return { id: row!.id, clientId, secret, redirectUri };
  }

  authorize(pairs: Pairs, rest: Partial<Omit<Authorize, 'query'>> & { repeated?: string[] } = {}) {
    const { repeated = [], userId = null, decision = null } = rest;
    return this.authorizations.authorize({ query: parameters(pairs, repeated), userId, decision });
  }

  /** Returns a new code, which the user has allowed. */
  async code(app: TestApplication, userId: number, pairs: Pairs = {}): Promise<string> {
    const request = { response_type: 'code', client_id: app.clientId, redirect_uri: app.redirectUri, ...pairs };
    const response = await this.authorize(request, { userId, decision: 'allow' });
    const code = response.next === 'redirect' ? new URL(response.to).searchParams.get('code') : null;
    if (code === null) throw new Error(`no code: ${JSON.stringify(response)}`);
    return code;
  }

  /** Sends a token request of a client with its secret in the form. */
  token(app: TestApplication, pairs: Pairs, oauth = this.oauth): Promise<OAuthResponse> {
    const form = { client_id: app.clientId, client_secret: app.secret ?? undefined, ...pairs };
    return oauth.token({ authorization: null, form: parameters(form) });
  }

  redeem(app: TestApplication, code: string, pairs: Pairs = {}, oauth = this.oauth): Promise<OAuthResponse> {
    const request = { grant_type: 'authorization_code', code, redirect_uri: app.redirectUri, ...pairs };
    return this.token(app, request, oauth);
  }

  /** Returns true if the access token is stored, expired or not. */
  async isValid(token: unknown): Promise<boolean> {
    const rows = await this.db.database.query('select from access_tokens where hash = $1', [
      hashToken(token as string),
    ]);
    return rows.length === 1;
  }

  /** Waits until `count` sessions of this database wait for a lock. */
  waiting(count: number): Promise<unknown> {
    return eventually(`${count} wait for a lock`, async () => {
      const rows = await this.db.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length === count;
    });
  }

  /** Returns the hashes in the `token.revoked` events of the outbox. */
  async revokedTokens(): Promise<string[]> {
    const rows = await this.db.database.query<{ hash: string }>(
      `select payload ->> 'tokenHash' as hash from outbox where name = 'token.revoked'`,
    );
    return rows.map(({ hash }) => hash);
  }
}

/** Headers of every response to OAuth clients. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Matcher of a successful response, for `toMatchObject`. */
export const succeeded = { status: 200 };

/** Returns a matcher of an OAuth error, for `toMatchObject`. */
export const oauthError = (error: string, status = error === 'invalid_client' ? 401 : 400) => ({
  status,
  headers: noStore,
  body: { error },
});

/** Returns the access token of a response. */
export const tokenIn = ({ body }: OAuthResponse): string => body!['access_token'] as string;
