import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hashToken } from '../tokens/token.crypto.js';
import { readCredentials, type Credentials } from './client-credentials.rules.js';
import { ClientQueries, type Client } from './client.queries.js';
import { InvalidClientError } from './oauth.errors.js';
import type { RequestParameters } from './request-parameters.rules.js';

/**
 * Returns true for the right secret of a confidential client, and for a public client without a
 * secret. PKCE does not replace a secret.
 */
const hasValidSecret = ({ secretHash }: Client, secret: string | null): boolean =>
  secretHash === null ? secret === null : secret !== null && timingSafeEqual(hashToken(secret), secretHash);

@Injectable()
export class ClientService {
  constructor(private readonly clients: ClientQueries) {}

  /**
   * Authenticates the client of a request. The error is the same for an unknown client and a wrong
   * secret.
   *
   * @throws InvalidRequestError, InvalidClientError
   */
  async authenticate(authorization: string | null, form: RequestParameters): Promise<Client> {
    const { clientId, secret }: Credentials = readCredentials(authorization, form);
    const client = await this.clients.find(clientId);
    if (!client || !hasValidSecret(client, secret))
      throw new InvalidClientError('The client is unknown, or its secret is wrong.');
    return client;
  }
}
