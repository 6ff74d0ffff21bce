import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { IdempotencyKeys } from '#idempotency';
import { RawReply } from '#request-queue';
import { generateToken, hashToken } from '../tokens/token.crypto.js';
import { redirectUrisInvalid } from './application.errors.js';
import { ApplicationRepository, type OwnedApplication, type Registration } from './application.repository.js';
import { generateClientId, redirectUriErrors, registeredScopes } from './application.rules.js';
import { ClientSecretCipher } from './client-secret.crypto.js';

type Messages = Services['accounts'];
type SecretResponse = ReplyOf<Messages, 'applications.create' | 'applications.renew-secret'>;

@Injectable()
export class ApplicationService {
  constructor(
    private readonly applications: ApplicationRepository,
    private readonly keys: IdempotencyKeys,
    private readonly cipher: ClientSecretCipher,
  ) {}

  /**
   * Registers an application. Its secret is returned only here, and only for a confidential client.
   * A repetition with the same idempotency key returns the same secret.
   *
   * @throws DomainError `redirect-uri.invalid` with the offending paths, `application.too-many`,
   *   `user.not-found`
   */
  async create({ idempotency, ...request }: PayloadOf<Messages, 'applications.create'>): Promise<RawReply> {
    const { ownerId, confidential } = request;
    const keyed = { viewerId: ownerId, operation: 'applications.create', idempotency };
    const reply = await this.keys.once(keyed, (storeResponse) => {
      const clientId = generateClientId();
      const clientSecret = confidential ? generateToken() : null;
      const secretHash = clientSecret === null ? null : hashToken(clientSecret);
      const application = { ...validateRegistration(request), ownerId, clientId, secretHash };
      return this.applications.create(application, (tx, applicationId) =>
        storeResponse(tx, this.sealed({ applicationId, clientId, clientSecret }, ownerId, 201)),
      );
    });
    return this.unsealed(reply, ownerId);
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
   * Replaces the secret and returns the new one, which only a repetition with the same idempotency
   * key returns again. The old secret is invalid after the commit.
   *
   * @throws DomainError `application.not-found`, `application.no-secret`
   */
  async renewSecret({ idempotency, ...owned }: PayloadOf<Messages, 'applications.renew-secret'>): Promise<RawReply> {
    const { ownerId } = owned;
    const keyed = { viewerId: ownerId, operation: 'applications.renew-secret', idempotency };
    const reply = await this.keys.once(keyed, (storeResponse) => {
      const clientSecret = generateToken();
      return this.applications.renewSecret(owned, hashToken(clientSecret), (tx) =>
        storeResponse(tx, this.sealed({ clientSecret }, ownerId, 200)),
      );
    });
    return this.unsealed(reply, ownerId);
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

  /** Returns a response with an encrypted secret, because idempotency keys store responses. */
  private sealed({ clientSecret, ...others }: SecretResponse, ownerId: number, status: number): RawReply {
    const encrypted = clientSecret === null ? null : this.cipher.encrypt(clientSecret, ownerId);
    return RawReply.json(JSON.stringify({ ...others, clientSecret: encrypted }), { status });
  }

  /** Decrypts the secret of a sealed response. */
  private unsealed({ body, status, headers }: RawReply, ownerId: number): RawReply {
    const { clientSecret, ...others } = JSON.parse(body.toString()) as SecretResponse;
    const decrypted = clientSecret === null ? null : this.cipher.decrypt(clientSecret, ownerId);
    return RawReply.json(JSON.stringify({ ...others, clientSecret: decrypted }), { status, headers });
  }
}

function validateRegistration({ scopes, ...registration }: Registration): Registration {
  const { name, description, homePage, redirectUris, namesIssuer } = registration;
  const errors = redirectUriErrors(redirectUris);
  if (errors.length > 0) throw redirectUrisInvalid(errors);
  return { name, description, homePage, redirectUris, scopes: registeredScopes(scopes), namesIssuer };
}
