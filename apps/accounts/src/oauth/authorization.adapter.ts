import { Injectable } from '@nestjs/common';
import OAuth2Server from '@node-oauth/oauth2-server';
import type { Scope } from '#contracts';
import { generateToken } from '../tokens/token.crypto.js';
import { selectScopes } from './authorization-request.rules.js';
import { ClientQueries, type Client } from './client.queries.js';
import { toOAuthError, type OAuthError } from './oauth.errors.js';
import { matchesRedirectUri } from './redirect-uri.rules.js';
import type { RequestParameters } from './request-parameters.rules.js';

/** Authorization code that is generated and not stored yet. */
export interface GeneratedCode {
  readonly code: string;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
}

/** Result of the library for an authorization request. */
interface Evaluation {
  readonly client: Client | undefined;
  /** True if a response may be sent to the redirect URI of the request. */
  readonly hasValidRedirectUri: boolean;
  readonly result: GeneratedCode | OAuthError;
}

/**
 * Parameters that are passed to the library. Others are omitted: the library would take
 * `allowed=false` for a denial by the user.
 */
const passedParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/**
 * Model of oauth2-server for one request. Stores the client and the validity of the redirect URI.
 */
class AuthorizationModel {
  client: Client | undefined;
  hasValidRedirectUri = false;

  constructor(private readonly clients: ClientQueries) {}

  async getClient(clientId: string) {
    this.client = await this.clients.find(clientId);
    return this.client && { id: clientId, grants: ['authorization_code'], redirectUris: [...this.client.redirectUris] };
  }

  validateRedirectUri(given: string): Promise<boolean> {
    this.hasValidRedirectUri = this.client!.redirectUris.some((registered) => matchesRedirectUri(registered, given));
    return Promise.resolve(this.hasValidRedirectUri);
  }

  validateScope(_user: unknown, _client: unknown, requested?: string[]): Promise<Scope[] | null> {
    return Promise.resolve(selectScopes(this.client!, requested));
  }

  generateAuthorizationCode(): Promise<string> {
    return Promise.resolve(generateToken());
  }

  /** Returns the code without storing it. `AuthorizationService` stores it if the user allows. */
  saveAuthorizationCode<Code>(code: Code): Promise<Code> {
    return Promise.resolve(code);
  }
}

/** Evaluates authorization requests with the library, without storing anything. */
@Injectable()
export class AuthorizationEvaluator {
  constructor(private readonly clients: ClientQueries) {}

  async evaluate(parameters: RequestParameters): Promise<Evaluation> {
    const model = new AuthorizationModel(this.clients);
    const result = await this.generateCode(model, parameters);
    return { client: model.client, hasValidRedirectUri: model.hasValidRedirectUri, result };
  }

  private async generateCode(
    model: AuthorizationModel,
    parameters: RequestParameters,
  ): Promise<GeneratedCode | OAuthError> {
    const query = Object.fromEntries(
      passedParameters.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])),
    );
    // Stub: `AuthorizationService` handles the session and the user's decision
    const options = { allowEmptyState: true, authenticateHandler: { handle: () => ({}) } };
    try {
      const generated = await new OAuth2Server({
        model: model as unknown as OAuth2Server.AuthorizationCodeModel,
      }).authorize(
        new OAuth2Server.Request({ method: 'GET', headers: {}, query }),
        new OAuth2Server.Response(),
        options,
      );
      return {
        code: generated.authorizationCode,
        scopes: generated.scope as Scope[],
        redirectUri: generated.redirectUri,
        codeChallenge: generated.codeChallenge ?? null,
      };
    } catch (error) {
      return toOAuthError(error);
    }
  }
}
