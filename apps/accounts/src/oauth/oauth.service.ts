import { Injectable } from '@nestjs/common';
import OAuth2Server from '@node-oauth/oauth2-server';
import type { OAuthAnswer, PayloadOf, Services } from '#contracts';
import { hashToken } from '../tokens/token.crypto.js';
import { AuthorizationRepository } from './authorization.repository.js';
import type { Client } from './client.queries.js';
import { ClientService } from './client.service.js';
import { IntrospectionQueries } from './introspection.queries.js';
import { IssuedTokenRepository } from './issued-token.repository.js';
import {
  InvalidClientError,
  InvalidRequestError,
  refusalIn,
  statusOf,
  UnsupportedGrantTypeError,
} from './oauth.errors.js';
import { sentIn, type Sent } from './sent-parameters.rules.js';
import { TokenModel } from './token.adapter.js';

type ClientRequest = PayloadOf<Services['accounts'], 'oauth.token'>;

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** What the grants have to bring; those that are not here are not supported. */
const required: ReadonlyMap<string, readonly string[]> = new Map([
  ['authorization_code', ['code', 'redirect_uri']],
  ['refresh_token', ['refresh_token']],
]);

/** Its clients have proved themselves already, and what is stored decides how long tokens live. */
const libraryOptions = {
  requireClientAuthentication: { authorization_code: false, refresh_token: false },
  allowExtendedTokenAttributes: true,
};

function need(form: Sent, name: string): string {
  const value = form[name];
  if (value === undefined) throw new InvalidRequestError(`The parameter ${name} is missing.`);
  return value;
}

/** The endpoints that clients call: RFC 6749 (section 3.2), RFC 7009 and RFC 7662. */
@Injectable()
export class OAuthService {
  constructor(
    private readonly clients: ClientService,
    private readonly authorizations: AuthorizationRepository,
    private readonly issued: IssuedTokenRepository,
    private readonly introspections: IntrospectionQueries,
  ) {}

  token(request: ClientRequest): Promise<OAuthAnswer> {
    return this.answer(request, async (client, form) => {
      const wanted = required.get(need(form, 'grant_type'));
      if (!wanted) throw new UnsupportedGrantTypeError('The grant type is not supported.');
      for (const name of wanted) need(form, name);
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

  /** Ends the family of the token. One that is unknown or another's is no error. */
  revoke(request: ClientRequest): Promise<OAuthAnswer> {
    return this.answer(request, async (client, form) => {
      await this.issued.revoke(hashToken(need(form, 'token')), client.applicationId);
      return null;
    });
  }

  introspect(request: ClientRequest): Promise<OAuthAnswer> {
    return this.answer(request, (client, form) => {
      if (!client.confidential) throw new InvalidClientError('A client without a secret may not introspect tokens.');
      return this.introspections.introspect(hashToken(need(form, 'token')), client);
    });
  }

  /** The steps of all of them: read the form, find out who sends it, do the work, say what came of it. */
  private async answer(
    { authorization, form }: ClientRequest,
    work: (client: Client, form: Sent) => Promise<Record<string, unknown> | null>,
  ): Promise<OAuthAnswer> {
    try {
      if (form.repeated.length > 0) throw new InvalidRequestError('A parameter is given more than once.');
      const sent = sentIn(form);
      const client = await this.clients.authenticate(authorization, sent);
      return { status: 200, headers: noStore, body: await work(client, sent) };
    } catch (error) {
      const refusal = refusalIn(error);
      const { status, headers } = statusOf(refusal);
      const body = { error: refusal.name, error_description: refusal.message };
      return { status, headers: { ...headers, ...noStore }, body };
    }
  }
}

/** The form as the library expects it: HTTP was read by the gateway. */
const libraryRequest = (body: object) =>
  new OAuth2Server.Request({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    query: {},
    body,
  });
