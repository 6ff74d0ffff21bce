import type OAuth2Server from '@node-oauth/oauth2-server';
import type { Scope } from '#contracts';
import { generateToken, hashToken } from '../tokens/token.crypto.js';
import type { AuthorizationRepository } from './authorization.repository.js';
import type { Client } from './client.queries.js';
import type { IssuedRefreshToken, IssuedTokenRepository } from './issued-token.repository.js';
import type { RequestParameters } from './request-parameters.rules.js';

type GeneratedTokens = Pick<OAuth2Server.Token, 'accessToken' | 'refreshToken' | 'scope'> & {
  authorizationCode?: string;
};

/**
 * Model of oauth2-server for one token request. `ClientService` has authenticated the client,
 * because the library accepts a confidential client without a secret if the request has a PKCE
 * verifier.
 */
export class TokenModel {
  private readonly libraryClient;
  private refreshed: IssuedRefreshToken | undefined;

  constructor(
    private readonly client: Client,
    private readonly form: RequestParameters,
    private readonly authorizations: AuthorizationRepository,
    private readonly issued: IssuedTokenRepository,
  ) {
    this.libraryClient = { id: client.clientId, grants: ['authorization_code', 'refresh_token'] };
  }

  getClient() {
    return Promise.resolve(this.libraryClient);
  }

  /**
   * Returns the stored code; null for a code of another client or with another redirect URI, which
   * stays valid. Also returns null for a redeemed or unknown code, after revoking the client's
   * tokens that descend from the code.
   */
  async getAuthorizationCode(code: string) {
    const hash = hashToken(code);
    const stored = await this.authorizations.find(hash);
    if (!stored || stored.isRedeemed) {
      await this.issued.revokeFamily(hash, this.client.applicationId);
      return null;
    }
    if (stored.applicationId !== this.client.applicationId) return null;
    if (stored.redirectUri !== this.form['redirect_uri']) return null;
    return {
      authorizationCode: code,
      expiresAt: stored.expiresAt,
      redirectUri: stored.redirectUri,
      scope: stored.scopes,
      client: this.libraryClient,
      user: { id: stored.userId },
      ...(stored.codeChallenge !== null && { codeChallenge: stored.codeChallenge, codeChallengeMethod: 'S256' }),
    };
  }

  /**
   * Does nothing: the code is redeemed in `saveToken`, so that a request without the verifier
   * cannot redeem it.
   */
  revokeAuthorizationCode(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /**
   * Returns the stored refresh token; null for one that is unknown, expired or of another client.
   * For a used one, also revokes its family.
   */
  async getRefreshToken(refreshToken: string) {
    const stored = await this.issued.findRefreshToken(hashToken(refreshToken));
    if (stored?.applicationId !== this.client.applicationId) return null;
    if (stored.isUsed) await this.issued.revokeFamily(stored.codeHash, this.client.applicationId);
    if (stored.isUsed || stored.isExpired) return null;
    this.refreshed = stored;
    return { refreshToken, scope: stored.scopes, client: this.libraryClient, user: { id: stored.userId } };
  }

  /**
   * Does nothing: the refresh token is consumed in `saveToken`, so that a request that is rejected
   * later does not consume it.
   */
  revokeToken(): Promise<boolean> {
    return Promise.resolve(true);
  }

  generateAccessToken(): Promise<string> {
    return Promise.resolve(generateToken());
  }

  generateRefreshToken(): Promise<string> {
    return Promise.resolve(generateToken());
  }

  async saveToken(generated: GeneratedTokens, _client: unknown, user: { id: number }) {
    const newTokens = {
      accessToken: generated.accessToken,
      refreshToken: generated.refreshToken!,
      userId: user.id,
      applicationId: this.client.applicationId,
      scopes: generated.scope as Scope[],
    };
    const { scopes, createdAt, refreshToken, expiresIn } = this.refreshed
      ? await this.issued.issueForRefreshToken(this.refreshed, newTokens)
      : await this.issued.issueForCode(hashToken(generated.authorizationCode!), newTokens);
    return {
      accessToken: generated.accessToken,
      scope: [...scopes],
      client: this.libraryClient,
      user,
      ...(refreshToken !== null && { refreshToken, expires_in: expiresIn }),
      created_at: Math.floor(createdAt.getTime() / 1_000),
    };
  }
}
