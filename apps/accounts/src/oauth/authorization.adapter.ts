import { Injectable } from '@nestjs/common';
import OAuth2Server from '@node-oauth/oauth2-server';
import type { Scope } from '#contracts';
import { freshToken } from '../tokens/token.crypto.js';
import { scopesFor } from './authorization-request.rules.js';
import { ClientQueries, type Client } from './client.queries.js';
import { refusalIn, type Refusal } from './oauth.errors.js';
import { matchesRedirectUri } from './redirect-uri.rules.js';
import type { Sent } from './sent-parameters.rules.js';

/** A code that may be given, which nobody has saved yet. */
export interface OfferedCode {
  readonly code: string;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
}

/** What the library says of a request. */
interface Evaluation {
  readonly client: Client | undefined;
  /** Whether the application may be told at its redirect URI. */
  readonly reachable: boolean;
  readonly offer: OfferedCode | Refusal;
}

/** The library also knows parameters by which a request answers for the user (`allowed`): it gets to see these only. */
const known = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/** The library asks this while it goes through one request; what it has found out stays here. */
class AuthorizationModel {
  client: Client | undefined;
  reachable = false;

  constructor(private readonly clients: ClientQueries) {}

  async getClient(clientId: string) {
    this.client = await this.clients.find(clientId);
    return this.client && { id: clientId, grants: ['authorization_code'], redirectUris: [...this.client.redirectUris] };
  }

  validateRedirectUri(given: string): Promise<boolean> {
    this.reachable = this.client!.redirectUris.some((registered) => matchesRedirectUri(registered, given));
    return Promise.resolve(this.reachable);
  }

  validateScope(_user: unknown, _client: unknown, named?: string[]): Promise<Scope[] | null> {
    return Promise.resolve(scopesFor(this.client!, named));
  }

  generateAuthorizationCode(): Promise<string> {
    return Promise.resolve(freshToken());
  }

  /** Gives it back instead: whether it is given is still to be decided. */
  saveAuthorizationCode<Code>(code: Code): Promise<Code> {
    return Promise.resolve(code);
  }
}

/** Asks the library what an authorization request is worth. Nothing is saved. */
@Injectable()
export class AuthorizationEvaluator {
  constructor(private readonly clients: ClientQueries) {}

  async evaluate(sent: Sent): Promise<Evaluation> {
    const model = new AuthorizationModel(this.clients);
    const offer = await this.offer(model, sent);
    return { client: model.client, reachable: model.reachable, offer };
  }

  private async offer(model: AuthorizationModel, sent: Sent): Promise<OfferedCode | Refusal> {
    const query = Object.fromEntries(known.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])));
    // Who is signed in, and what they decide, is none of the library's business
    const options = { allowEmptyState: true, authenticateHandler: { handle: () => ({}) } };
    try {
      const offered = await new OAuth2Server({
        model: model as unknown as OAuth2Server.AuthorizationCodeModel,
      }).authorize(
        new OAuth2Server.Request({ method: 'GET', headers: {}, query }),
        new OAuth2Server.Response(),
        options,
      );
      return {
        code: offered.authorizationCode,
        scopes: offered.scope as Scope[],
        redirectUri: offered.redirectUri,
        codeChallenge: offered.codeChallenge ?? null,
      };
    } catch (error) {
      return refusalIn(error);
    }
  }
}
