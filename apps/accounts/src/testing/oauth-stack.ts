import { createHash, randomBytes } from 'node:crypto';
import type { OAuthAnswer, OAuthParameters, PayloadOf, Scope, Services } from '#contracts';
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
import { freshToken, hashToken } from '../tokens/token.crypto.js';

type Pairs = Readonly<Record<string, string | undefined>>;
type Authorize = PayloadOf<Services['accounts'], 'oauth.authorize'>;

/** An application that was registered. `secret` null: a public one. */
export interface TestApplication {
  readonly id: number;
  readonly clientId: string;
  readonly secret: string | null;
  readonly redirectUri: string;
}

/** A verifier and its challenge (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Parameters as the gateway passes them on; what is undefined is not there. */
export const parameters = (pairs: Pairs, repeated: string[] = []): OAuthParameters => ({
  given: Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined)) as Record<string, string>,
  repeated,
});

/** HTTP Basic with both parts form-encoded. */
export const basic = (id: string, secret: string): string => {
  const encoded = [id, secret].map((part) => encodeURIComponent(part).replaceAll('%20', '+')).join(':');
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
};

/** The OAuth server on a database of its own. */
export class OAuthStack {
  readonly authorizations: AuthorizationService;
  readonly oauth: OAuthService;

  private constructor(readonly db: TestDatabase) {
    this.authorizations = this.withAuthorizations();
    this.oauth = this.withLifetime(0);
  }

  static async start(): Promise<OAuthStack> {
    return new OAuthStack(await testDatabase('accounts'));
  }

  /** The same server, whose access tokens live for some seconds; 0: until they are revoked. */
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

  private withAuthorizations(): AuthorizationService {
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
    const secret = options.public ? null : freshToken();
    const clientId = freshToken();
    const [row] = await this.db.database.query<{ id: number }>(
      `insert into applications (owner_id, client_id, name, description, redirect_uris, scopes, confidential, secret_hash,
         names_issuer)
       values ($1, $2, 'Cat Shirts', 'Shirts with cats.', $3, $4, $5, $6, $7) returning id`,
      [ownerId, clientId, [redirectUri], scopes, secret !== null, secret && hashToken(secret), namesIssuer],
    );
    return { id: row!.id, clientId, secret, redirectUri };
  }

  /** What an authorization request leads to. */
  authorize(pairs: Pairs, rest: Partial<Omit<Authorize, 'query'>> & { repeated?: string[] } = {}) {
    const { repeated = [], userId = null, decision = null } = rest;
    return this.authorizations.authorize({ query: parameters(pairs, repeated), userId, decision });
  }

  /** A code that a user has just allowed. */
  async code(app: TestApplication, userId: number, pairs: Pairs = {}): Promise<string> {
    const request = { response_type: 'code', client_id: app.clientId, redirect_uri: app.redirectUri, ...pairs };
    const answer = await this.authorize(request, { userId, decision: 'allow' });
    const code = answer.next === 'redirect' ? new URL(answer.to).searchParams.get('code') : null;
    if (code === null) throw new Error(`no code: ${JSON.stringify(answer)}`);
    return code;
  }

  /** A request at the token endpoint of a client that shows its secret in the form. */
  token(app: TestApplication, pairs: Pairs, oauth = this.oauth): Promise<OAuthAnswer> {
    const form = { client_id: app.clientId, client_secret: app.secret ?? undefined, ...pairs };
    return oauth.token({ authorization: null, form: parameters(form) });
  }

  redeem(app: TestApplication, code: string, pairs: Pairs = {}, oauth = this.oauth): Promise<OAuthAnswer> {
    const request = { grant_type: 'authorization_code', code, redirect_uri: app.redirectUri, ...pairs };
    return this.token(app, request, oauth);
  }

  /** Whether the token would be let in. */
  async isAlive(token: unknown): Promise<boolean> {
    const rows = await this.db.database.query('select from access_tokens where hash = $1', [
      hashToken(token as string),
    ]);
    return rows.length === 1;
  }

  /** Waits until so many sessions of this test wait for a lock. */
  waiting(count: number): Promise<unknown> {
    return eventually(`${count} wait for a lock`, async () => {
      const rows = await this.db.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length === count;
    });
  }

  /** The tokens that the outbox says are dead. */
  async saidRevoked(): Promise<string[]> {
    const rows = await this.db.database.query<{ hash: string }>(
      `select payload ->> 'tokenHash' as hash from outbox where name = 'token.revoked'`,
    );
    return rows.map(({ hash }) => hash);
  }
}

/** The headers of every answer. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** What an answer with tokens has, and one that refuses with this error: for `toMatchObject`. */
export const given = { status: 200 };
export const refused = (error: string, status = error === 'invalid_client' ? 401 : 400) => ({
  status,
  headers: noStore,
  body: { error },
});

/** The access token of an answer. */
export const tokenIn = ({ body }: OAuthAnswer): string => body!['access_token'] as string;
