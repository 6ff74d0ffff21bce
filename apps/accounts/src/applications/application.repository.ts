import { Injectable } from '@nestjs/common';
import type { Scope } from '#contracts';
import { Database, type Tx } from '#persistence';
import { revokeTokens } from '../tokens/token.repository.js';
import { userNotFound } from '../users/user.errors.js';
import { applicationNotFound, noSecret, tooManyApplications } from './application.errors.js';
import { applicationsMaximum } from './application.rules.js';

/** What its owner says of an application. */
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

/** An application and who wishes to change it. */
export interface OwnedApplication {
  readonly ownerId: number;
  readonly applicationId: number;
}

interface HeldApplication {
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

const change = `
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

/** Saves applications. Whoever ends what rests on an application holds its row, so that no token is given meanwhile. */
@Injectable()
export class ApplicationRepository {
  constructor(private readonly database: Database) {}

  /**
   * The lock on the owner puts the registrations of one user into an order, so that each counts the one before.
   *
   * @returns the application's id
   * @throws DomainError `application.too-many`, `user.not-found`
   */
  create({ ownerId, clientId, secretHash, ...registration }: NewApplication): Promise<number> {
    return this.database.transaction(async (tx) => {
      const [owner] = await tx.query<object[]>('select from users where id = $1 and id > 0 for no key update', [
        ownerId,
      ]);
      if (!owner) throw userNotFound(ownerId);
      const values = [ownerId, clientId, secretHash, ...valuesOf(registration), applicationsMaximum];
      const [added] = await tx.query<{ id: number }[]>(insert, values);
      if (!added) throw tooManyApplications(applicationsMaximum);
      return added.id;
    });
  }

  /**
   * A scope that is taken away is taken from everything: the tokens and codes that have it end, and who has allowed it is
   * asked again, should it ever come back.
   *
   * @throws DomainError `application.not-found`
   */
  update(owned: OwnedApplication, registration: Registration): Promise<void> {
    const { applicationId } = owned;
    return this.database.transaction(async (tx) => {
      const { scopes } = await this.hold(tx, owned);
      await tx.query(change, [applicationId, ...valuesOf(registration)]);
      for (const scope of scopes)
        if (!registration.scopes.includes(scope)) await this.withdrawScope(tx, applicationId, scope);
    });
  }

  /** @throws DomainError `application.not-found`, `application.no-secret` */
  renewSecret(owned: OwnedApplication, secretHash: Buffer): Promise<void> {
    return this.database.transaction(async (tx) => {
      const { confidential } = await this.hold(tx, owned);
      if (!confidential) throw noSecret(owned.applicationId);
      await tx.query('update applications set secret_hash = $2, updated_at = now() where id = $1', [
        owned.applicationId,
        secretHash,
      ]);
    });
  }

  /**
   * With everything that it was given by anybody.
   *
   * @param ownerId who must own it; null when an operator asks
   * @throws DomainError `application.not-found`
   */
  delete(owned: { readonly ownerId: number | null; readonly applicationId: number }): Promise<void> {
    const { applicationId } = owned;
    return this.database.transaction(async (tx) => {
      await this.hold(tx, owned);
      for (const table of ['consents', 'authorization_codes'])
        await tx.query(`delete from ${table} where application_id = $1`, [applicationId]);
      await revokeTokens(tx, { applicationId });
      await tx.query('delete from applications where id = $1', [applicationId]);
    });
  }

  private async hold(
    tx: Tx,
    { ownerId, applicationId }: { readonly ownerId: number | null; readonly applicationId: number },
  ): Promise<HeldApplication> {
    const [held] = await tx.query<HeldApplication[]>(
      `select scopes, confidential from applications
       where id = $1 and ($2::bigint is null or owner_id = $2) for update`,
      [applicationId, ownerId],
    );
    if (!held) throw applicationNotFound(applicationId);
    return held;
  }

  private async withdrawScope(tx: Tx, applicationId: number, scope: Scope): Promise<void> {
    const where = 'where application_id = $1 and $2 = any (scopes)';
    for (const statement of [
      `delete from consents ${where} and cardinality(scopes) = 1`,
      `update consents set scopes = array_remove(scopes, $2), updated_at = now() ${where}`,
      `delete from authorization_codes ${where}`,
    ])
      await tx.query(statement, [applicationId, scope]);
    await revokeTokens(tx, { applicationId, scope });
  }
}
