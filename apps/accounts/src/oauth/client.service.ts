import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hashToken } from '../tokens/token.crypto.js';
import { readCredentials, type Credentials } from './client-credentials.rules.js';
import { ClientQueries, type Client } from './client.queries.js';
import { InvalidClientError } from './oauth.errors.js';
import type { Sent } from './sent-parameters.rules.js';

/** Those that can keep a secret show it, whatever else they can prove; those that cannot have none to show. */
const isProved = ({ secretHash }: Client, secret: string | null): boolean =>
  secretHash === null ? secret === null : secret !== null && timingSafeEqual(hashToken(secret), secretHash);

@Injectable()
export class ClientService {
  constructor(private readonly clients: ClientQueries) {}

  /**
   * The client that sends a request. One that nobody knows and one with a wrong secret are told the same.
   *
   * @throws InvalidRequestError, InvalidClientError
   */
  async authenticate(authorization: string | null, form: Sent): Promise<Client> {
    const { clientId, secret }: Credentials = readCredentials(authorization, form);
    const client = await this.clients.find(clientId);
    if (!client || !isProved(client, secret))
      throw new InvalidClientError('The client is unknown, or its secret is wrong.');
    return client;
  }
}
