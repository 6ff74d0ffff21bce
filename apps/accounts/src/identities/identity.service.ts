import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { generateToken, hashToken } from '../tokens/token.crypto.js';
import { SignInRateLimiter } from '../sessions/sign-in.limiter.js';
import { generateSession } from '../sessions/session.rules.js';
import { rejectionOf } from '../users/user.errors.js';
import { UserRepository } from '../users/user.repository.js';
import { rejectedByProvider } from './identity.errors.js';
import { IdentityQueries } from './identity.queries.js';
import { IdentityRepository } from './identity.repository.js';
import { generateSignInState, OpenIdProviderClient } from './openid-provider.client.js';

type Messages = Services['accounts'];

/**
 * Sign-in at OpenID Connect providers: redirects a browser to a provider, and processes the
 * callback.
 */
@Injectable()
export class IdentityService {
  constructor(
    private readonly openid: OpenIdProviderClient,
    private readonly identities: IdentityRepository,
    private readonly queries: IdentityQueries,
    private readonly limiter: SignInRateLimiter,
    private readonly users: UserRepository,
  ) {}

  /** Returns the providers in the order of the setting. */
  providers(): { name: string; label: string }[] {
    return this.openid.providers.map(({ name, label }) => ({ name, label }));
  }

  /**
   * Returns the URL of the provider to redirect the browser to.
   *
   * @throws DomainError `identity.provider-unknown`, `identity.provider-away`, `sign-in.too-many`,
   *   `service.unavailable`, `identity.expired` when the user to link to is deleted
   */
  async begin(request: PayloadOf<Messages, 'identities.begin'>): Promise<ReplyOf<Messages, 'identities.begin'>> {
    const { provider: name, browserToken, userId, returnTo, visitor } = request;
    const provider = this.openid.find(name);
    await this.limiter.startProviderSignIn(visitor.address);
    const { state, ...secrets } = generateSignInState();
    const url = await this.openid.authorizationUrl(provider, { state, ...secrets });
    const hashes = { stateHash: hashToken(state), browserTokenHash: hashToken(browserToken) };
    await this.identities.insertAttempt({ ...hashes, provider: name, userId, returnTo, ...secrets });
    return { url };
  }

  /**
   * Finishes a sign-in. Only the provider's `sub` identifies a user. An e-mail address does not,
   * even a verified one: addresses are reassigned, and providers differ in what they verify.
   *
   * @throws DomainError `identity.provider-unknown`, `identity.expired`, `identity.refused`,
   *   `identity.provider-away`, `identity.taken`
   */
  async finish(request: PayloadOf<Messages, 'identities.finish'>): Promise<ReplyOf<Messages, 'identities.finish'>> {
    const { provider: name, browserToken, parameters, visitor } = request;
    const provider = this.openid.find(name);
    const { state = '' } = parameters;
    const browserTokenHash = hashToken(browserToken);
    const { userId, returnTo, ...attempt } = await this.identities.takeAttempt(hashToken(state), browserTokenHash);
    // Mix-up attack (RFC 9700, section 4.4): the sign-in was started at another provider
    if (attempt.provider !== name) throw rejectedByProvider(provider.label);
    const profile = await this.openid.fetchProfile(provider, parameters, { state, ...attempt });
    const { uid, nickname, url, suggestedName, email } = profile;
    if (userId !== null) {
      // The cookie of a signed-in user is the session
      await this.identities.link(userId, browserTokenHash, { provider: name, uid, nickname, url });
      return { outcome: 'linked', returnTo };
    }
    const session = generateSession(visitor.userAgent);
    if (await this.identities.openSession({ provider: name, uid }, session))
      return { outcome: 'signed-in', session: session.session, returnTo };
    const ticket = generateToken();
    await this.identities.insertTicket({
      hash: hashToken(ticket),
      browserTokenHash,
      provider: name,
      uid,
      nickname,
      url,
      returnTo,
    });
    const suggestion = { name: suggestedName, email: email ?? '' };
    return { outcome: 'new', ticket, label: provider.label, suggestion };
  }

  /**
   * Creates a user without a password, who signs in at the provider, and opens a session.
   *
   * @throws DomainError `identity.expired`, `identity.taken`, `sign-in.too-many`,
   *   `service.unavailable`, `user.name-reserved`, `user.name-taken`, `user.email-taken`
   */
  async signUp(request: PayloadOf<Messages, 'identities.sign-up'>): Promise<ReplyOf<Messages, 'identities.sign-up'>> {
    const { ticket, browserToken, name, email, visitor } = request;
    await this.limiter.signUp(visitor.address);
    const rejection = rejectionOf(await this.users.findTaken(request));
    if (rejection) throw rejection;
    const session = generateSession(visitor.userAgent);
    const ticketKey = { hash: hashToken(ticket), browserTokenHash: hashToken(browserToken) };
    const user = { name, email, displayName: null, passwordHash: null };
    return {
      returnTo: await this.identities.signUp(ticketKey, user, session, visitor.language),
      session: session.session,
    };
  }

  /** Returns the identities of a user, with the display names of their providers. */
  async list(userId: number): Promise<ReplyOf<Messages, 'identities.list'>> {
    const rows = await this.queries.list(userId);
    return { identities: rows.map((row) => ({ ...row, label: this.openid.labelOf(row.provider) })) };
  }

  /**
   * Unlinks an identity of a user.
   *
   * @throws DomainError `user.not-found`, `identity.not-found`, `identity.last`
   */
  unlink({ userId, identityId }: PayloadOf<Messages, 'identities.unlink'>): Promise<void> {
    const names = this.openid.providers.map(({ name }) => name);
    return this.identities.unlink(userId, identityId, names);
  }
}
