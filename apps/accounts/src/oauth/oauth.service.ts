import { Injectable } from '@nestjs/common';
import OAuth2Server from '@node-oauth/oauth2-server';
import type { OAuthResponse, PayloadOf, Services } from '#contracts';
import { hashToken } from '../tokens/token.crypto.js';
import { AuthorizationRepository } from './authorization.repository.js';
import type { Client } from './client.queries.js';
import { ClientService } from './client.service.js';
import { IntrospectionQueries } from './introspection.queries.js';
import { IssuedTokenRepository } from './issued-token.repository.js';
import {
  InvalidClientError,
  InvalidRequestError,
  toOAuthError,
  statusOf,
  UnsupportedGrantTypeError,
} from './oauth.errors.js';
import { readParameters, type RequestParameters } from './request-parameters.rules.js';
import { TokenModel } from './token.adapter.js';

type ClientRequest = PayloadOf<Services['accounts'], 'oauth.token'>;

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Required parameters of each supported grant type. */
const requiredByGrantType: ReadonlyMap<string, readonly string[]> = new Map([
  ['authorization_code', ['code', 'redirect_uri']],
  ['refresh_token', ['refresh_token']],
]);

/**
 * Options of the library. `ClientService` has authenticated the client. `expires_in`, from the
 * settings, and `created_at`, from the database, are extended attributes of a token.
 */
const libraryOptions = {
  requireClientAuthentication: { authorization_code: false, refresh_token: false },
  allowExtendedTokenAttributes: true,
};

function requireParameter(form: RequestParameters, name: string): string {
  const value = form[name];
  if (value === undefined) throw new InvalidRequestError(`The parameter ${name} is missing.`);
  return value;
}

/**
 * OAuth endpoints for clients: token (RFC 6749, section 3.2), revocation (RFC 7009) and
 * introspection (RFC 7662).
 */
@Injectable()
export class OAuthService {
  constructor(
    private readonly clients: ClientService,
    private readonly authorizations: AuthorizationRepository,
    private readonly issued: IssuedTokenRepository,
    private readonly introspections: IntrospectionQueries,
  ) {}

  token(request: ClientRequest): Promise<OAuthResponse> {
    return this.respond(request, async (client, form) => {
      const requiredParameters = requiredByGrantType.get(requireParameter(form, 'grant_type'));
      if (!requiredParameters) throw new UnsupportedGrantTypeError('The grant type is not supported.');
      for (const name of requiredParameters) requireParameter(form, name);
      const model = new TokenModel(client, form, this.authorizations, this.issued);
      const response = new OAuth2Server.Response();
      await new OAuth2Server({ model: model as unknown as OAuth2Server.AuthorizationCodeModel }).token(
        libraryRequest({ ...form, client_id: client.clientId, client_secret: undefined }),
        response,
        libraryOptions,
      );
      return response.body as Record<string, unknown>;
    });
  }

  /** Revokes the family of the token. An unknown token or one of another client is no error. */
  revoke(request: ClientRequest): Promise<OAuthResponse> {
    return this.respond(request, async (client, form) => {
      await this.issued.revoke(hashToken(requireParameter(form, 'token')), client.applicationId);
      return null;
    });
  }

  introspect(request: ClientRequest): Promise<OAuthResponse> {
    return this.respond(request, (client, form) => {
      if (!client.confidential) throw new InvalidClientError('A client without a secret may not introspect tokens.');
      return this.introspections.introspect(hashToken(requireParameter(form, 'token')), client);
    });
  }

  /**
   * Handles a request: reads the form, authenticates the client, does the work, and converts OAuth
   * errors to responses. Other errors are thrown.
   */
  private async respond(
    { authorization, form }: ClientRequest,
    work: (client: Client, form: RequestParameters) => Promise<Record<string, unknown> | null>,
  ): Promise<OAuthResponse> {
    try {
      if (form.repeated.length > 0) throw new InvalidRequestError('A parameter is given more than once.');
      const parameters = readParameters(form);
      const client = await this.clients.authenticate(authorization, parameters);
      return { status: 200, headers: noStore, body: await work(client, parameters) };
    } catch (error) {
      const oauthError = toOAuthError(error);
      const { status, headers } = statusOf(oauthError);
      const body = { error: oauthError.name, error_description: oauthError.message };
      return { status, headers: { ...headers, ...noStore }, body };
    }
  }
}

/**
 * Returns the library's request for a form that the gateway has parsed. The library requires the
 * method and both headers, and does not use the length.
 */
const libraryRequest = (body: object) =>
  new OAuth2Server.Request({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    query: {},
    body,
  });
