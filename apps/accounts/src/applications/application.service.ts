import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { freshToken, hashToken } from '../tokens/token.crypto.js';
import { redirectUrisInvalid } from './application.errors.js';
import { ApplicationRepository, type OwnedApplication, type Registration } from './application.repository.js';
import { freshClientId, redirectUriErrors, registeredScopes } from './application.rules.js';

type Messages = Services['accounts'];

@Injectable()
export class ApplicationService {
  constructor(private readonly applications: ApplicationRepository) {}

  /**
   * A new application; the secret is told this once, and only to one that can keep it.
   *
   * @throws DomainError `redirect-uri.invalid` with the offending paths, `application.too-many`, `user.not-found`
   */
  async create(request: PayloadOf<Messages, 'applications.create'>): Promise<ReplyOf<Messages, 'applications.create'>> {
    const { ownerId, confidential } = request;
    const clientId = freshClientId();
    const clientSecret = confidential ? freshToken() : null;
    const secretHash = clientSecret === null ? null : hashToken(clientSecret);
    const registration = checked(request);
    const applicationId = await this.applications.create({ ...registration, ownerId, clientId, secretHash });
    return { applicationId, clientId, clientSecret };
  }

  /** @throws DomainError `redirect-uri.invalid` with the offending paths, `application.not-found` */
  async update(request: PayloadOf<Messages, 'applications.update'>): Promise<void> {
    await this.applications.update(request, checked(request));
  }

  /**
   * The new secret, told this once. The old one is dead when this returns.
   *
   * @throws DomainError `application.not-found`, `application.no-secret`
   */
  async renewSecret(owned: OwnedApplication): Promise<string> {
    const clientSecret = freshToken();
    await this.applications.renewSecret(owned, hashToken(clientSecret));
    return clientSecret;
  }

  /** With all tokens that were given to it, which are dead when this returns. Throws `application.not-found`. */
  delete(owned: OwnedApplication): Promise<void> {
    return this.applications.delete(owned);
  }

  /** By an operator, whosever it is. Throws `application.not-found`. */
  remove(applicationId: number): Promise<void> {
    return this.applications.delete({ ownerId: null, applicationId });
  }
}

function checked({ scopes, ...registration }: Registration): Registration {
  const { name, description, homePage, redirectUris, namesIssuer } = registration;
  const errors = redirectUriErrors(redirectUris);
  if (errors.length > 0) throw redirectUrisInvalid(errors);
  return { name, description, homePage, redirectUris, scopes: registeredScopes(scopes), namesIssuer };
}
