import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import type { z } from 'zod';
import type { Event, EventListResponse } from '#contracts';
import { type EventRow, toEvent } from '../../apps/webhooks/src/event-log/event.queries.js';
import type { Fleet } from '../fleet/fleet.js';
import { Api } from '../load/api.js';
import type { LoadUser } from '../load/load.js';
import type { Notes } from '../load/notes.js';
import { ReceptionCheck } from './check-receptions.js';
import type { Endpoints } from './endpoints.js';
import type { WebhookReceiver } from './receiver.js';

/** Events and webhooks of one run. */
export interface DeliveryFigures {
  /** Events in the logs of the users. */
  readonly events: number;
  /** Webhooks with a valid signature, in all attempts. */
  readonly deliveries: number;
  /** Failed attempts to deliver an event. */
  readonly failed: number;
  /** Webhooks of events that the endpoint had received before. */
  readonly repeated: number;
  /** Deliveries that were replayed after the fault instead of waiting for a retry. */
  readonly replayed: number;
}

const timeoutMs = 120_000;
const pauseMs = 200;
const pageSize = 200;

/** Unfinished deliveries by endpoint. `waiting`: for a retry or for the circuit breaker. */
const unfinished = `
  select endpoint_id::int as id, count(*)::int as count, count(*) filter (
      where d.status = 'pending' and d.claimed_until is null and
        greatest(d.next_attempt_at, e.open_until) > clock_timestamp() + interval '3 seconds'
    )::int as waiting
  from webhooks.webhook_deliveries d join webhooks.webhook_endpoints e on e.id = endpoint_id
  where d.status <> 'succeeded' and endpoint_id = any($1) group by 1`;

const newEvents = `
  select position::int as position, event_id as id, user_id::int as "userId", type, sequence, data, occurred_at as "occurredAt"
  from webhooks.events where position > $1 and user_id = any($2) order by position`;

const allFailures = 'select count(*)::int as count from webhooks.webhook_attempts where error is not null';

/** Checks that every event of the log is readable through the API, and delivered. */
export class DeliveryCheck {
  private readonly receptions = new ReceptionCheck();
  private readonly cursors = new Map<number, string>();
  private position = 0;
  private failures = 0;

  constructor(
    private readonly fleet: Fleet,
    private readonly users: readonly LoadUser[],
    private readonly endpoints: Endpoints,
    private readonly receiver: WebhookReceiver,
  ) {}

  /** Checks the events since the last call. The load must be at rest, and all events consumed. */
  async run(notes: Notes): Promise<DeliveryFigures> {
    const database = new pg.Client({ connectionString: this.fleet.servers.postgres.url });
    await database.connect();
    try {
      const replayed = await this.untilDelivered(database, notes);
      for (const finding of this.receiver.findings) notes.wrong(finding);
      this.receiver.findings.clear();
      const received = this.receiver.take();
      const logged = await this.newEvents(database);
      await this.checkApi(logged, notes);
      const repeated = this.receptions.check(logged, received, notes);
      const failed = await this.newFailures(database);
      return { events: logged.length, failed, deliveries: received.length, repeated, replayed };
    } finally {
      await database.end();
    }
  }

  /**
   * Waits until all deliveries have succeeded. Those that wait for a retry are replayed, as the
   * owner of a repaired endpoint can do. @returns their number
   */
  private async untilDelivered(database: pg.Client, notes: Notes): Promise<number> {
    let replayed = 0;
    const until = performance.now() + timeoutMs;
    type Row = { id: number; count: number; waiting: number };
    for (;;) {
      const { rows } = await database.query<Row>(unfinished, [this.endpoints.ids]);
      if (rows.length === 0) return replayed;
      if (performance.now() > until) {
        for (const { id, count } of rows) notes.wrong(`${count} deliveries to endpoint ${id} have not ended`);
        return replayed;
      }
      for (const { id, count, waiting } of rows) if (waiting === count) replayed += await this.endpoints.recover(id);
      await sleep(pauseMs);
    }
  }

  private async newFailures(database: pg.Client): Promise<number> {
    const before = this.failures;
    const { rows } = await database.query<{ count: number }>(allFailures);
    this.failures = rows[0]!.count;
    return this.failures - before;
  }

  private async newEvents(database: pg.Client): Promise<Event[]> {
    const ids = this.users.map(({ id }) => id);
    const { rows } = await database.query<EventRow & { readonly position: number }>(newEvents, [this.position, ids]);
    this.position = rows.at(-1)?.position ?? this.position;
    return rows.map(toEvent);
  }

  /** Checks that GET /events returns the new events of each user, in their order. */
  private async checkApi(logged: readonly Event[], notes: Notes): Promise<void> {
    const api = new Api(this.fleet.baseUrls);
    try {
      for (const user of this.users) {
        const read = await this.readNew(api, user);
        const expected = logged.filter(({ userId }) => userId === user.id);
        if (!isDeepStrictEqual(read, expected))
          notes.wrong(
            `GET /events returns ${read.length} events of user ${user.id} that differ from the log of ${expected.length}`,
          );
      }
    } finally {
      await api.close();
    }
  }

  private async readNew(api: Api, { id, apiKey }: LoadUser): Promise<object[]> {
    const read: object[] = [];
    for (let hasNext = true; hasNext;) {
      const cursor = this.cursors.get(id);
      const after = cursor === undefined ? '' : `&after=${cursor}`;
      const { outcome, body } = await api.get(`/api/v1/events?limit=${pageSize}${after}`, apiKey);
      if (outcome !== 200) throw new Error(`GET /events returned ${outcome}`);
      const { events, meta } = body as z.output<typeof EventListResponse>;
      read.push(...events);
      this.cursors.set(id, meta.cursor);
      ({ hasNext } = meta);
    }
    return read;
  }
}
