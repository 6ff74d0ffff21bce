import { Injectable } from '@nestjs/common';
import type { Authorization, PayloadOf, Scope, Services } from '#contracts';
import { AccountsEnv } from '../env.js';
import { canSkipConsent, findRequestError, type AuthorizationRequest } from './authorization-request.rules.js';
import { AuthorizationEvaluator, type GeneratedCode } from './authorization.adapter.js';
import { AuthorizationRepository } from './authorization.repository.js';
import type { Client } from './client.queries.js';
import { AccessDeniedError, InvalidClientError, OAuthError } from './oauth.errors.js';
import { withParameters } from './redirect-uri.rules.js';
import { readParameters, type RequestParameters } from './request-parameters.rules.js';

const errorParameters = ({ name, message }: OAuthError) => ({ error: name, error_description: message });

const rejectRequest = (error: string, description: string): Authorization => ({ next: 'reject', error, description });

function requestConsent(client: Client, { scopes, redirectUri }: GeneratedCode, grantedScopes: Scope[]): Authorization {
  const { name, description, homePage, ownerName } = client;
  const application = { name, description, homePage, ownerName };
  const granted = grantedScopes.filter((scope) => scopes.includes(scope));
  return { next: 'consent', application, scopes: [...scopes], granted, redirectUri };
}

/**
 * Errors of requests without a trusted redirect URI. They are shown on a page, and never sent to
 * the redirect URI.
 */
const untrustedRules: readonly (readonly [
  (parameters: RequestParameters, repeated: readonly string[]) => boolean,
  string,
])[] = [
  [(_, repeated) => repeated.includes('client_id'), 'The parameter client_id is given more than once.'],
  [(_, repeated) => repeated.includes('redirect_uri'), 'The parameter redirect_uri is given more than once.'],
  [(parameters) => parameters['client_id'] === undefined, 'The parameter client_id is missing.'],
  [(parameters) => parameters['redirect_uri'] === undefined, 'The parameter redirect_uri is missing.'],
];

@Injectable()
export class AuthorizationService {
  constructor(
    private readonly evaluator: AuthorizationEvaluator,
    private readonly authorizations: AuthorizationRepository,
    private readonly env: AccountsEnv,
  ) {}

  /**
   * Processes an authorization request (RFC 6749, section 4.1; RFC 9207) and returns its next step.
   * Issues a code if the user allows the request, or has done so before. Stores only a new consent.
   */
  async authorize({
    query,
    userId,
    decision,
  }: PayloadOf<Services['accounts'], 'oauth.authorize'>): Promise<Authorization> {
    const parameters = readParameters(query);
    const [, reason] = untrustedRules.find(([isViolated]) => isViolated(parameters, query.repeated)) ?? [];
    if (reason !== undefined) return rejectRequest('invalid_request', reason);

    const { client, hasValidRedirectUri, result } = await this.evaluator.evaluate(parameters);
    if (!client && result instanceof InvalidClientError)
      return rejectRequest('invalid_client', 'The application is unknown.');
    if (!client) return rejectRequest('invalid_request', 'The parameter client_id or redirect_uri is malformed.');
    if (!hasValidRedirectUri)
      return rejectRequest('invalid_request', 'The application has not registered this redirect URI.');

    const request = { query, parameters, client };
    const problem = findRequestError(request);
    if (problem) return this.redirect(request, errorParameters(problem));
    if (result instanceof OAuthError) return this.redirect(request, errorParameters(result));
    if (userId === null) return { next: 'sign-in' };
    if (decision === 'deny')
      return this.redirect(request, errorParameters(new AccessDeniedError('The user has denied the request.')));

    const newCode = { ...result, userId, applicationId: client.applicationId };
    const grantedScopes = await this.authorizations.findGrantedScopes(newCode);
    if (decision === null && !canSkipConsent(client, result, grantedScopes))
      return requestConsent(client, result, grantedScopes);
    const isIssued = await this.authorizations.issueCode(newCode, decision === 'allow');
    if (!isIssued) return rejectRequest('invalid_request', 'The application or the account has been deleted.');
    return this.redirect(request, { code: result.code });
  }

  /**
   * Redirects to the application with a response and the unchanged `state`; a repeated `state` is
   * omitted. `iss` is added only for applications that enable it: Auth.js and openid-client reject
   * a response with `iss` unless they are configured with an issuer.
   */
  private redirect(
    { parameters, query, client }: AuthorizationRequest,
    response: Readonly<Record<string, string>>,
  ): Authorization {
    const { redirect_uri: redirectUri, state } = parameters;
    const echoed: Record<string, string> = state === undefined || query.repeated.includes('state') ? {} : { state };
    const issuer: Record<string, string> = client.namesIssuer ? { iss: this.env.BASE_URL } : {};
    return { next: 'redirect', to: withParameters(redirectUri!, { ...response, ...echoed, ...issuer }) };
  }
}
