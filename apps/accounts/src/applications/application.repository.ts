import { Injectable } from '@nestjs/common';
import type { Scope } from '#contracts';
import { Database, type Tx } from '#persistence';
import { deleteConsents } from '../consents/consent.repository.js';
import { revokeTokens } from '../tokens/token.repository.js';
import { userNotFound } from '../users/user.errors.js';
import { applicationNotFound, applicationHasNoSecret, tooManyApplications } from './application.errors.js';
import { maxApplicationsPerUser } from './application.rules.js';

/** Fields of an application that its owner sets. */
export interface Registration {
  readonly name: string;
  readonly description: string;
  readonly homePage: string | null;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly namesIssuer: boolean;
}

interface NewApplication extends Registration {
  readonly ownerId: number;
  readonly clientId: string;
  /** SHA-256 of the secret; null for a public application. */
  readonly secretHash: Buffer | null;
}

/** Application with the id of the user who changes it, who must be its owner. */
export interface OwnedApplication {
  readonly ownerId: number;
  readonly applicationId: number;
}

interface LockedApplication {
  readonly scopes: Scope[];
  readonly confidential: boolean;
}

const insert = `
  insert into applications
    (owner_id, client_id, confidential, secret_hash, name, description, home_page, redirect_uris, scopes,
     names_issuer)
  select $1, $2, $3::bytea is not null, $3, $4, $5, $6, $7, $8, $9
  where (select count(*) from applications where owner_id = $1) < $10
  returning id`;

const updateFields = `
  update applications
  set name = $2, description = $3, home_page = $4, redirect_uris = $5, scopes = $6, names_issuer = $7,
    updated_at = now()
  where id = $1`;

const valuesOf = ({ name, description, homePage, redirectUris, scopes, namesIssuer }: Registration): unknown[] => [
  name,
  description,
  homePage,
  redirectUris,
  scopes,
  namesIssuer,
];

/**
 * Stores applications. Methods that delete consents, codes or tokens lock the application's row
 * first, so that no token is issued concurrently.
 */
@Injectable()
export class ApplicationRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores a new application. The lock on the owner serializes the registrations of one user, so
   * that concurrent ones cannot exceed the maximum.
   *
   * @param respond runs in the transaction; its result is returned
   * @throws DomainError `application.too-many`, `user.not-found`
   */
  create<Response>(
    { ownerId, clientId, secretHash, ...registration }: NewApplication,
    respond: (tx: Tx, applicationId: number) => Promise<Response>,
  ): Promise<Response> {
    return this.database.transaction(async (tx) => {
      const [owner] = await tx.query<object[]>('select from users where id = $1 and id > 0 for no key update', [
        ownerId,
      ]);
      if (!owner) throw userNotFound(ownerId);
      const values = [ownerId, clientId, secretHash, ...valuesOf(registration), maxApplicationsPerUser];
      const [inserted] = await tx.query<{ id: number }[]>(insert, values);
      if (!inserted) throw tooManyApplications(maxApplicationsPerUser);
      return respond(tx, inserted.id);
    });
  }

  /**
   * Changes an application. A removed scope is removed everywhere: tokens and codes with the scope
   * are deleted, and users must consent again if the scope is ever registered again.
   *
   * @throws DomainError `application.not-found`
   */
  update(owned: OwnedApplication, registration: Registration): Promise<void> {
    const { applicationId } = owned;
    return this.database.transaction(async (tx) => {
      const { scopes } = await this.lock(tx, owned);
      await tx.query(updateFields, [applicationId, ...valuesOf(registration)]);
      for (const scope of scopes)
        if (!registration.scopes.includes(scope)) await this.removeScope(tx, applicationId, scope);
    });
  }

  /**
   * Replaces the secret.
   *
   * @param respond runs in the transaction; its result is returned
   * @throws DomainError `application.not-found`, `application.no-secret`
   */
  renewSecret<Response>(
    owned: OwnedApplication,
    secretHash: Buffer,
    respond: (tx: Tx) => Promise<Response>,
  ): Promise<Response> {
    return this.database.transaction(async (tx) => {
      const { confidential } = await this.lock(tx, owned);
      if (!confidential) throw applicationHasNoSecret(owned.applicationId);
      await tx.query('update applications set secret_hash = $2, updated_at = now() where id = $1', [
        owned.applicationId,
        secretHash,
      ]);
      return respond(tx);
    });
  }

  /**
   * Deletes an application with the consents, codes and tokens of all users.
   *
   * @param owned `ownerId`: owner that the application must have; null for an operator, who may
   *   delete the application of any user
   * @throws DomainError `application.not-found`
   */
  delete(owned: { readonly ownerId: number | null; readonly applicationId: number }): Promise<void> {
    const { applicationId } = owned;
    return this.database.transaction(async (tx) => {
      await this.lock(tx, owned);
      await deleteConsents(tx, 'c.application_id = $1', [applicationId]);
      await tx.query('delete from authorization_codes where application_id = $1', [applicationId]);
      await revokeTokens(tx, { applicationId });
      await tx.query('delete from applications where id = $1', [applicationId]);
    });
  }

  private async lock(
    tx: Tx,
    { ownerId, applicationId }: { readonly ownerId: number | null; readonly applicationId: number },
  ): Promise<LockedApplication> {
    const [locked] = await tx.query<LockedApplication[]>(
      `select scopes, confidential from applications
       where id = $1 and ($2::bigint is null or owner_id = $2) for update`,
      [applicationId, ownerId],
    );
    if (!locked) throw applicationNotFound(applicationId);
    return locked;
  }

  private async removeScope(tx: Tx, applicationId: number, scope: Scope): Promise<void> {
    await deleteConsents(tx, 'c.application_id = $1 and c.scopes = array[$2]', [applicationId, scope]);
    const where = 'where application_id = $1 and $2 = any (scopes)';
    for (const statement of [
      `update consents set scopes = array_remove(scopes, $2), updated_at = now() ${where}`,
      `delete from authorization_codes ${where}`,
    ])
      await tx.query(statement, [applicationId, scope]);
    await revokeTokens(tx, { applicationId, scope });
  }
}
