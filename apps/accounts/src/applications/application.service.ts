import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { generateToken, hashToken } from '../tokens/token.crypto.js';
import { redirectUrisInvalid } from './application.errors.js';
import { ApplicationRepository, type OwnedApplication, type Registration } from './application.repository.js';
import { generateClientId, redirectUriErrors, registeredScopes } from './application.rules.js';

type Messages = Services['accounts'];

@Injectable()
export class ApplicationService {
  constructor(private readonly applications: ApplicationRepository) {}

  /**
   * Registers an application. Its secret is returned only here, and only for a confidential client.
   *
   * @throws DomainError `redirect-uri.invalid` with the offending paths, `application.too-many`,
   *   `user.not-found`
   */
  async create(request: PayloadOf<Messages, 'applications.create'>): Promise<ReplyOf<Messages, 'applications.create'>> {
    const { ownerId, confidential } = request;
    const clientId = generateClientId();
    const clientSecret = confidential ? generateToken() : null;
    const secretHash = clientSecret === null ? null : hashToken(clientSecret);
    const registration = validateRegistration(request);
    const applicationId = await this.applications.create({ ...registration, ownerId, clientId, secretHash });
    return { applicationId, clientId, clientSecret };
  }

  /**
   * Changes an application. Removing a scope revokes the tokens with the scope.
   *
   * @throws DomainError `redirect-uri.invalid` with the offending paths, `application.not-found`
   */
  async update(request: PayloadOf<Messages, 'applications.update'>): Promise<void> {
    await this.applications.update(request, validateRegistration(request));
  }

  /**
   * Replaces the secret and returns the new one, which is not returned again. The old secret is
   * invalid after the commit.
   *
   * @throws DomainError `application.not-found`, `application.no-secret`
   */
  async renewSecret(owned: OwnedApplication): Promise<string> {
    const clientSecret = generateToken();
    await this.applications.renewSecret(owned, hashToken(clientSecret));
    return clientSecret;
  }

  /**
   * Deletes an application with the consents, codes and tokens of all users. Throws
   * `application.not-found`.
   */
  delete(owned: OwnedApplication): Promise<void> {
    return this.applications.delete(owned);
  }

  /** Deletes an application of any user, for an operator. Throws `application.not-found`. */
  remove(applicationId: number): Promise<void> {
    return this.applications.delete({ ownerId: null, applicationId });
  }
}

function validateRegistration({ scopes, ...registration }: Registration): Registration {
  const { name, description, homePage, redirectUris, namesIssuer } = registration;
  const errors = redirectUriErrors(redirectUris);
  if (errors.length > 0) throw redirectUrisInvalid(errors);
  return { name, description, homePage, redirectUris, scopes: registeredScopes(scopes), namesIssuer };
}
