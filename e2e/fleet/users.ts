import { randomBytes } from 'node:crypto';
import { openQueueClients } from '#request-queue';
import type { Fleet } from './fleet.js';

/** A user with an API key. */
export interface FleetUser {
  readonly id: number;
  readonly name: string;
  /** Personal API key. */
  readonly apiKey: string;
}

/** Creates users with random names. */
export async function createUsers(fleet: Fleet, count: number): Promise<FleetUser[]> {
  const clients = await openQueueClients({
    app: 'operator',
    redisUrl: fleet.servers.requests.url,
    services: ['accounts'],
  });
  try {
    const users: FleetUser[] = [];
    for (let made = 0; made < count; made++) {
      const name = `load-${randomBytes(6).toString('hex')}`;
      const password = randomBytes(12).toString('hex');
      const user = { name, email: `${name}@example.com`, password, displayName: null };
      const made = await clients.of('accounts').call('users.create', user);
      fleet.secrets.add(password).add(made.apiKey);
      users.push(made);
    }
    return users;
  } finally {
    await clients.close();
  }
}
