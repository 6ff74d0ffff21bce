import { Injectable } from '@nestjs/common';
import type { Authorization, PayloadOf, Scope, Services } from '#contracts';
import { AccountsEnv } from '../env.js';
import { goesUnasked, requestProblem, type Asked } from './authorization-request.rules.js';
import { AuthorizationEvaluator, type OfferedCode } from './authorization.adapter.js';
import { AuthorizationRepository } from './authorization.repository.js';
import type { Client } from './client.queries.js';
import { AccessDeniedError, InvalidClientError, OAuthError, type Refusal } from './oauth.errors.js';
import { withParameters } from './redirect-uri.rules.js';
import { sentIn, type Sent } from './sent-parameters.rules.js';

const errorOf = ({ name, message }: Refusal) => ({ error: name, error_description: message });

const refuse = (error: string, description: string): Authorization => ({ next: 'refuse', error, description });

function question(client: Client, { scopes, redirectUri }: OfferedCode, granted: Scope[]): Authorization {
  const { name, description, homePage, ownerName } = client;
  const application = { name, description, homePage, ownerName };
  return { next: 'ask', application, scopes: [...scopes], granted, redirectUri };
}

/** What keeps a request from being looked at: nobody could be told at an address that is in doubt. */
const doubts: readonly (readonly [(sent: Sent, repeated: readonly string[]) => boolean, string])[] = [
  [(_, repeated) => repeated.includes('client_id'), 'The parameter client_id is given more than once.'],
  [(_, repeated) => repeated.includes('redirect_uri'), 'The parameter redirect_uri is given more than once.'],
  [(sent) => sent['client_id'] === undefined, 'The parameter client_id is missing.'],
  [(sent) => sent['redirect_uri'] === undefined, 'The parameter redirect_uri is missing.'],
];

@Injectable()
export class AuthorizationService {
  constructor(
    private readonly evaluator: AuthorizationEvaluator,
    private readonly authorizations: AuthorizationRepository,
    private readonly env: AccountsEnv,
  ) {}

  /** What an authorization request leads to (RFC 6749, section 4.1; RFC 9207). */
  async authorize({
    query,
    userId,
    decision,
  }: PayloadOf<Services['accounts'], 'oauth.authorize'>): Promise<Authorization> {
    const sent = sentIn(query);
    const [, doubt] = doubts.find(([isOpen]) => isOpen(sent, query.repeated)) ?? [];
    if (doubt !== undefined) return refuse('invalid_request', doubt);

    const { client, reachable, offer } = await this.evaluator.evaluate(sent);
    if (!client && offer instanceof InvalidClientError)
      return refuse('invalid_client', 'There is no such application.');
    if (!client) return refuse('invalid_request', 'The parameter client_id or redirect_uri is malformed.');
    if (!reachable) return refuse('invalid_request', 'The application has not registered this redirect URI.');

    const asked = { query, sent, client };
    const problem = requestProblem(asked);
    if (problem) return this.redirect(asked, errorOf(problem));
    if (offer instanceof OAuthError) return this.redirect(asked, errorOf(offer));
    if (userId === null) return { next: 'sign-in' };
    if (decision === 'deny') return this.redirect(asked, errorOf(new AccessDeniedError('The user has said no.')));

    const wanted = { ...offer, userId, applicationId: client.applicationId };
    const granted = await this.authorizations.granted(wanted);
    if (decision === null && !goesUnasked(client, offer, granted)) return question(client, offer, granted);
    const isGiven = await this.authorizations.give(wanted, decision === 'allow');
    if (!isGiven) return refuse('invalid_request', 'The application or the account is no longer there.');
    return this.redirect(asked, { code: offer.code });
  }

  /**
   * Back to the application with an answer, and with the `state` exactly as it came. `iss` is added only where the
   * application expects it: Auth.js and openid-client reject a response whose `iss` they have no configured value for.
   */
  private redirect({ sent, query, client }: Asked, answer: Readonly<Record<string, string>>): Authorization {
    const { redirect_uri: redirectUri, state } = sent;
    const echoed: Record<string, string> = state === undefined || query.repeated.includes('state') ? {} : { state };
    const issuer: Record<string, string> = client.namesIssuer ? { iss: this.env.BASE_URL } : {};
    return { next: 'redirect', to: withParameters(redirectUri!, { ...answer, ...echoed, ...issuer }) };
  }
}
