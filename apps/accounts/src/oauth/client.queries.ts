import { Injectable } from '@nestjs/common';
import type { Scope } from '#contracts';
import { Database } from '#persistence';

/** Application as a client of the OAuth server. */
export interface Client {
  readonly applicationId: number;
  readonly clientId: string;
  /** Null for a public client. */
  readonly secretHash: Buffer | null;
  readonly confidential: boolean;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  /** True if its authorization responses contain `iss` (RFC 9207). */
  readonly namesIssuer: boolean;
  readonly name: string;
  readonly description: string;
  readonly homePage: string | null;
  readonly ownerName: string;
}

// Characters of a client id (RFC 6749, appendix A.1). PostgreSQL would throw on NUL
const printable = /^[ -~]+$/;

@Injectable()
export class ClientQueries {
  constructor(private readonly database: Database) {}

  /** Finds a client by its id, without authentication. */
  async find(clientId: string): Promise<Client | undefined> {
    if (!printable.test(clientId)) return undefined;
    const [client] = await this.database.query<Client>(
      `select a.id as "applicationId", client_id as "clientId", secret_hash as "secretHash", confidential,
         redirect_uris as "redirectUris", scopes, names_issuer as "namesIssuer", a.name, description, home_page as "homePage", u.name as "ownerName"
       from applications a join users u on u.id = a.owner_id
       where client_id = $1`,
      [clientId],
    );
    return client;
  }
}
