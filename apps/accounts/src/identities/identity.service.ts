import { Injectable } from '@nestjs/common';
import { isReservedName, type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { freshToken, hashToken } from '../tokens/token.crypto.js';
import { SignInRateLimiter } from '../sessions/sign-in.limiter.js';
import { freshSession } from '../sessions/session.rules.js';
import { nameReserved } from '../users/user.errors.js';
import { refusedBy } from './identity.errors.js';
import { IdentityQueries } from './identity.queries.js';
import { IdentityRepository } from './identity.repository.js';
import { freshProof, OpenIdProviderClient } from './openid-provider.client.js';

type Messages = Services['accounts'];

/** Signing in through other services: a browser is sent to a provider, and comes back with what that has confirmed. */
@Injectable()
export class IdentityService {
  constructor(
    private readonly openid: OpenIdProviderClient,
    private readonly identities: IdentityRepository,
    private readonly queries: IdentityQueries,
    private readonly attempts: SignInRateLimiter,
  ) {}

  /** In the order of the setting. */
  providers(): { name: string; label: string }[] {
    return this.openid.all.map(({ name, label }) => ({ name, label }));
  }

  /** @throws DomainError `identity.provider-unknown`, `identity.provider-away`, `sign-in.too-many` */
  async begin(request: PayloadOf<Messages, 'identities.begin'>): Promise<ReplyOf<Messages, 'identities.begin'>> {
    const { provider: name, visit, userId, returnTo, visitor } = request;
    const provider = this.openid.named(name);
    await this.attempts.setOut(visitor.address);
    const { state, ...secrets } = freshProof();
    const url = await this.openid.address(provider, { state, ...secrets });
    const hashes = { stateHash: hashToken(state), visitHash: hashToken(visit) };
    await this.identities.begin({ ...hashes, provider: name, userId, returnTo, ...secrets });
    return { url };
  }

  /**
   * Only what the provider calls `sub` says who somebody is. An e-mail address does not, verified or not: addresses change
   * hands, and providers differ in what they verify.
   *
   * @throws DomainError `identity.expired`, `identity.refused`, `identity.provider-away`, `identity.taken`
   */
  async finish(request: PayloadOf<Messages, 'identities.finish'>): Promise<ReplyOf<Messages, 'identities.finish'>> {
    const { provider: name, visit, parameters, visitor } = request;
    const provider = this.openid.named(name);
    const { state = '' } = parameters;
    const visitHash = hashToken(visit);
    const { userId, returnTo, ...attempt } = await this.identities.take(hashToken(state), visitHash);
    // The answer of one provider to the question to another one: somebody is mixing them up (RFC 9700, 4.4)
    if (attempt.provider !== name) throw refusedBy(provider.label);
    const person = await this.openid.person(provider, parameters, { state, ...attempt });
    const { uid, nickname, url, suggestedName, email } = person;
    if (userId !== null) {
      await this.identities.link(userId, visitHash, { provider: name, uid, nickname, url });
      return { outcome: 'linked', returnTo };
    }
    const fresh = freshSession(visitor.userAgent);
    if (await this.identities.open({ provider: name, uid }, fresh))
      return { outcome: 'signed-in', session: fresh.session, returnTo };
    const ticket = freshToken();
    await this.identities.issue({ hash: hashToken(ticket), visitHash, provider: name, uid, nickname, url, returnTo });
    const suggestion = { name: suggestedName, email: email ?? '' };
    return { outcome: 'new', ticket, label: provider.label, suggestion };
  }

  /**
   * A user without a password, who signs in through the provider.
   *
   * @throws DomainError `identity.expired`, `identity.taken`, `sign-in.too-many`, and those of a name or address
   */
  async signUp(request: PayloadOf<Messages, 'identities.sign-up'>): Promise<ReplyOf<Messages, 'identities.sign-up'>> {
    const { ticket, visit, name, email, visitor } = request;
    if (isReservedName(name)) throw nameReserved(name);
    await this.attempts.signUp(visitor.address);
    const fresh = freshSession(visitor.userAgent);
    const proof = { hash: hashToken(ticket), visitHash: hashToken(visit) };
    const user = { name, email, displayName: null, passwordHash: null };
    return { returnTo: await this.identities.signUp(proof, user, fresh), session: fresh.session };
  }

  async list(userId: number): Promise<ReplyOf<Messages, 'identities.list'>> {
    const rows = await this.queries.list(userId);
    return { identities: rows.map((row) => ({ ...row, label: this.openid.labelOf(row.provider) })) };
  }

  /** @throws DomainError `identity.not-found`, `identity.last` */
  unlink({ userId, identityId }: PayloadOf<Messages, 'identities.unlink'>): Promise<void> {
    const names = this.openid.all.map(({ name }) => name);
    return this.identities.unlink(userId, identityId, names);
  }
}
