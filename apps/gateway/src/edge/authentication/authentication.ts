import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { type Operation, operations, problems, type Scope } from '#contracts';
import { DomainError } from '#kernel';
import { GatewayEnv } from '../../env.js';
import { TokenStrategy } from './token.strategy.js';
import { type Credentials, credentialsOf, type Viewer } from './viewer.js';

type Refusal = 'token.missing' | 'token.invalid' | 'token.insufficient-scope';

const refuse = (code: Refusal, detail: string, challenge: string) =>
  new DomainError(problems[code], detail, undefined, { 'www-authenticate': challenge });

/** Every operation needs `read`; those that write need `write` in addition. */
const needed = (scope: Scope): readonly Scope[] => (scope === 'write' ? ['read', 'write'] : ['read']);

/**
 * Who asks, and whether the token allows it. It is settled before the body is read: a stranger's 32 MB are not worth
 * reading.
 */
@Injectable()
export class Authentication {
  // Making the strategy tells passport of it
  constructor(
    readonly strategy: TokenStrategy,
    private readonly env: GatewayEnv,
  ) {}

  /**
   * Lets the request go on as its token's user.
   *
   * @throws DomainError 401; a missing scope too is 401 and not 403 (docs/specification.md 7)
   */
  async admit(request: FastifyRequest, operation: Operation): Promise<void> {
    const { scope } = operation;
    if (scope === null) return;
    const credentials = credentialsOf(request);
    const inQuery = credentials.headers.authorization === undefined ? tokenInQuery(request) : undefined;
    if (inQuery !== undefined && operation === operations['users.self'] && this.env.ACCESS_TOKEN_IN_QUERY === 'user') {
      credentials.isInQuery = true;
      credentials.headers = { ...credentials.headers, authorization: `Bearer ${inQuery}` };
    }
    const viewer = await viewerBy(credentials);
    if (!viewer) throw unknown(credentials, inQuery !== undefined);
    credentials.tokenUserId = viewer.userId;
    const missing = needed(scope).filter((scope) => !viewer.scopes.includes(scope));
    if (missing.length > 0) {
      const challenge = `Bearer error="insufficient_scope", scope="${missing.join(' ')}"`;
      throw refuse('token.insufficient-scope', `The access token lacks the scope ${missing.join(' ')}.`, challenge);
    }
    credentials.user = viewer;
  }
}

/** Passport's callback as a promise. */
function viewerBy(credentials: Credentials): Promise<Viewer | null> {
  return new Promise((resolve, reject) => {
    const settle = (error: unknown, viewer: Viewer | false | null | undefined): void => {
      if (error) reject(error instanceof Error ? error : new Error('the token could not be checked'));
      else resolve(viewer || null);
    };
    const authenticate = passport.authenticate('bearer', { session: false }, settle) as (
      ...parameters: [request: Credentials, response: object, next: (error?: unknown) => void]
    ) => void;
    authenticate(credentials, {}, (error) => settle(error, null));
  });
}

/** RFC 6750, section 2.1; longer ones are no tokens of ours. */
const wellFormed = /^[\w.~+/-]{1,512}=*$/;

/** The token in the address (RFC 6750, section 2.3); undefined when it is none, or there is more than one. */
function tokenInQuery({ query }: FastifyRequest): string | undefined {
  const { access_token: token } = query as Readonly<Record<string, unknown>>;
  return typeof token === 'string' && wellFormed.test(token) ? token : undefined;
}

/** @param isInQuery whether there is a token in the address, accepted or not */
function unknown({ headers: { authorization = '' } }: Credentials, isInQuery: boolean): DomainError {
  if (/^bearer /i.test(authorization))
    return refuse('token.invalid', 'The access token is unknown, revoked or expired.', 'Bearer error="invalid_token"');
  const why = isInQuery ? 'A token in the address is not accepted. ' : '';
  const detail = `${why}Send an access token in the header Authorization: Bearer <token>.`;
  return refuse('token.missing', detail, 'Bearer');
}
