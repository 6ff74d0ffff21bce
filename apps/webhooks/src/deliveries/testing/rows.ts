import { randomUUID } from 'node:crypto';
import type { Database } from '#persistence';

interface NewEndpoint {
  readonly userId: number;
  readonly applicationId?: number;
  readonly url?: string;
  readonly types?: readonly string[];
  readonly status?: string;
  /** Encrypted secrets in base64. */
  readonly secrets?: readonly string[];
}

/** Inserts an endpoint. @returns its id */
export async function insertEndpoint(
  database: Database,
  {
    userId,
    applicationId,
    url = 'https://example.com/hook',
    types = [],
    status = 'enabled',
    secrets = ['x'],
  }: NewEndpoint,
): Promise<number> {
  const stored = secrets.map((encrypted) => ({ encrypted, expiresAt: null }));
  const [row] = await database.query<{ id: number }>(
    `insert into webhook_endpoints (user_id, application_id, url, description, types, status, disabled_reason, secrets)
     values ($1, $2, $3, '', $4, $5, case when $5 = 'disabled' then 'failures' end, $6) returning id`,
    [userId, applicationId ?? null, url, types, status, JSON.stringify(stored)],
  );
  return row!.id;
}

interface NewEvent {
  readonly type: string;
  readonly userId: number;
  readonly resource?: string;
  readonly revision?: number;
}

/** Appends an event to the log, with its deliveries. @returns its id */
export async function appendEvent(database: Database, { type, userId, resource, revision }: NewEvent): Promise<string> {
  const id = randomUUID();
  const copies = [{ userId, data: { productId: 1 } }];
  await database.query(`select append_event($1, now(), $2, $3, $4, false, '[]', $5, $6)`, [
    id,
    type,
    resource ?? null,
    revision ?? null,
    JSON.stringify(copies),
    {},
  ]);
  return id;
}
