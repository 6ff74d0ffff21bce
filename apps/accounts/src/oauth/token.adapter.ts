import type OAuth2Server from '@node-oauth/oauth2-server';
import type { Scope } from '#contracts';
import { freshToken, hashToken } from '../tokens/token.crypto.js';
import type { AuthorizationRepository } from './authorization.repository.js';
import type { Client } from './client.queries.js';
import type { GivenRefreshToken, IssuedTokenRepository } from './issued-token.repository.js';
import type { Sent } from './sent-parameters.rules.js';

type Made = Pick<OAuth2Server.Token, 'accessToken' | 'refreshToken' | 'scope'> & { authorizationCode?: string };

/**
 * What the library asks while it answers one token request of a client that has proved itself. It is not told any secret:
 * with PKCE it would take a confidential client at its word.
 */
export class TokenModel {
  private readonly known;
  private refreshed: GivenRefreshToken | undefined;

  constructor(
    private readonly client: Client,
    private readonly form: Sent,
    private readonly authorizations: AuthorizationRepository,
    private readonly issued: IssuedTokenRepository,
  ) {
    this.known = { id: client.clientId, grants: ['authorization_code', 'refresh_token'] };
  }

  getClient() {
    return Promise.resolve(this.known);
  }

  /** A code that another client brings, or with another redirect URI, is unknown and stays what it was. */
  async getAuthorizationCode(code: string) {
    const hash = hashToken(code);
    const given = await this.authorizations.find(hash);
    if (!given || given.isRedeemed) {
      await this.issued.endFamily(hash, this.client.applicationId);
      return null;
    }
    if (given.applicationId !== this.client.applicationId) return null;
    if (given.redirectUri !== this.form['redirect_uri']) return null;
    return {
      authorizationCode: code,
      expiresAt: given.expiresAt,
      redirectUri: given.redirectUri,
      scope: given.scopes,
      client: this.known,
      user: { id: given.userId },
      ...(given.codeChallenge !== null && { codeChallenge: given.codeChallenge, codeChallengeMethod: 'S256' }),
    };
  }

  /** It is redeemed together with the answer, so that whoever does not know the verifier cannot spoil it. */
  revokeAuthorizationCode(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async getRefreshToken(refreshToken: string) {
    const given = await this.issued.findRefreshToken(hashToken(refreshToken));
    if (given?.applicationId !== this.client.applicationId) return null;
    if (given.isUsed) await this.issued.endFamily(given.codeHash, this.client.applicationId);
    if (given.isUsed || given.isExpired) return null;
    this.refreshed = given;
    return { refreshToken, scope: given.scopes, client: this.known, user: { id: given.userId } };
  }

  /** It is used up together with the answer, so that a request that is refused after this leaves it alive. */
  revokeToken(): Promise<boolean> {
    return Promise.resolve(true);
  }

  generateAccessToken(): Promise<string> {
    return Promise.resolve(freshToken());
  }

  generateRefreshToken(): Promise<string> {
    return Promise.resolve(freshToken());
  }

  async saveToken(made: Made, _client: unknown, user: { id: number }) {
    const fresh = {
      accessToken: made.accessToken,
      refreshToken: made.refreshToken!,
      userId: user.id,
      applicationId: this.client.applicationId,
      scopes: made.scope as Scope[],
    };
    const { scopes, createdAt, refreshToken, expiresIn } = this.refreshed
      ? await this.issued.giveForRefreshToken(this.refreshed, fresh)
      : await this.issued.giveForCode(hashToken(made.authorizationCode!), fresh);
    return {
      accessToken: made.accessToken,
      scope: [...scopes],
      client: this.known,
      user,
      ...(refreshToken !== null && { refreshToken, expires_in: expiresIn }),
      created_at: Math.floor(createdAt.getTime() / 1_000),
    };
  }
}
