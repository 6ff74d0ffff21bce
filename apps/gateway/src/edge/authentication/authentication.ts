import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { type Operation, operations, problems, type Scope } from '#contracts';
import { DomainError } from '#kernel';
import { GatewayEnv } from '../../env.js';
import { TokenStrategy } from './token.strategy.js';
import { type Credentials, credentialsOf, type Viewer } from './viewer.js';

type RejectionCode = 'token.missing' | 'token.invalid' | 'token.insufficient-scope';

const reject = (code: RejectionCode, detail: string, challenge: string) =>
  new DomainError(problems[code], detail, undefined, { 'www-authenticate': challenge });

/** Returns the required scopes: `read` for every operation, also `write` for writes. */
const requiredScopes = (scope: Scope): readonly Scope[] => (scope === 'write' ? ['read', 'write'] : ['read']);

/**
 * Checks that an operation accepts tokens of the viewer's kind. A webhook endpoint that an
 * application creates would outlive the consent.
 *
 * @throws DomainError 403 for a token of an application, 503 if its application is unknown
 */
function checkTokenKind({ tokens }: Operation, { applicationId }: Viewer): void {
  if (tokens !== 'own' || applicationId === null) return;
  if (applicationId === undefined)
    throw new DomainError(
      problems['service.unavailable'],
      'The kind of the access token is unknown during an upgrade. Retry the request.',
      undefined,
      { 'retry-after': '10' },
    );
  throw new DomainError(
    problems['application.not-allowed'],
    'This operation rejects tokens of applications. Use the personal API key, or the pages of the shop.',
  );
}

/**
 * Authenticates requests and checks kind and scopes of their tokens before the body is read, so
 * that no body of 32 MB is read without a valid token.
 */
@Injectable()
export class Authentication {
  // Injected, because the constructor of the strategy registers the strategy with passport
  constructor(
    readonly strategy: TokenStrategy,
    private readonly env: GatewayEnv,
  ) {}

  /**
   * Authenticates a request as the user of its token.
   *
   * @throws DomainError 401, also for a missing scope (docs/specification.md 7), 403 for a token of
   *   an application if the operation accepts none, or the error of the introspection
   */
  async authenticate(request: FastifyRequest, operation: Operation): Promise<void> {
    const { scope, alternativeScope } = operation;
    if (scope === null) return;
    const credentials = credentialsOf(request);
    const inQuery = credentials.headers.authorization === undefined ? tokenInQuery(request) : undefined;
    if (inQuery !== undefined && operation === operations['users.self'] && this.env.ACCESS_TOKEN_IN_QUERY === 'user') {
      credentials.isInQuery = true;
      credentials.headers = { ...credentials.headers, authorization: `Bearer ${inQuery}` };
    }
    const viewer = await viewerBy(credentials);
    if (!viewer) throw unauthenticated(credentials, inQuery !== undefined);
    credentials.tokenUserId = viewer.userId;
    // Before the scopes, because no scope makes the token sufficient
    checkTokenKind(operation, viewer);
    const required = alternativeScope && viewer.scopes.includes(alternativeScope) ? [] : requiredScopes(scope);
    const missing = required.filter((scope) => !viewer.scopes.includes(scope));
    if (missing.length > 0) {
      const challenge = `Bearer error="insufficient_scope", scope="${missing.join(' ')}"`;
      throw reject('token.insufficient-scope', `The access token lacks the scope ${missing.join(' ')}.`, challenge);
    }
    credentials.user = viewer;
  }
}

/** Calls passport and returns the viewer; null without a valid token. */
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

/** RFC 6750, section 2.1; longer values are not tokens of this service. */
const wellFormed = /^[\w.~+/-]{1,512}=*$/;

/**
 * Returns the token in the query (RFC 6750, section 2.3); undefined if it is malformed or repeated.
 */
function tokenInQuery({ query }: FastifyRequest): string | undefined {
  const { access_token: token } = query as Readonly<Record<string, unknown>>;
  return typeof token === 'string' && wellFormed.test(token) ? token : undefined;
}

/**
 * Returns the error of an unauthenticated request.
 *
 * @param isInQuery whether the query has a token, accepted or not
 */
function unauthenticated({ headers: { authorization = '' } }: Credentials, isInQuery: boolean): DomainError {
  if (/^bearer /i.test(authorization))
    return reject('token.invalid', 'The access token is unknown, revoked or expired.', 'Bearer error="invalid_token"');
  const why = isInQuery ? 'A token in the URL is not accepted. ' : '';
  const detail = `${why}Send an access token in the header Authorization: Bearer <token>.`;
  return reject('token.missing', detail, 'Bearer');
}
