import { Injectable } from '@nestjs/common';
import { type Event, type PublicEventType, publicEventTypes, type ReplyOf, type Services } from '#contracts';
import { Database } from '#persistence';
import { cursorExpired } from './event.errors.js';

type EventPage = ReplyOf<Services['webhooks'], 'events.list'>;
type FollowedPage = ReplyOf<Services['webhooks'], 'events.follow'>;
type NewestEvents = ReplyOf<Services['webhooks'], 'events.newest'>;

export interface EventRow {
  readonly id: string;
  readonly userId: number;
  readonly type: PublicEventType;
  readonly sequence: number;
  readonly data: Record<string, unknown>;
  readonly occurredAt: Date;
}

/** Cursors of the ends of the log. */
interface LogEnds {
  readonly last: number;
  readonly deleted: number;
}

type LogRow = EventRow & { readonly cursor: number };
type Row = LogEnds & (LogRow | { readonly cursor: null });

interface RowPage {
  readonly found: readonly LogRow[];
  readonly hasNext: boolean;
  readonly cursor: string;
}

interface PageOptions {
  /** All types if undefined. */
  readonly types: readonly PublicEventType[] | undefined;
  readonly limit: number;
}

interface Selection extends PageOptions {
  readonly userId: number;
  readonly after: number | null;
}

/**
 * Cursors of the highest position that was ever visible as `last`, and of the highest one that was
 * deleted by age as `deleted`. See the migration `StoreLogEnd`.
 */
const ends = `
  select cursor_offset + greatest(position, last_position, (select max(position) from events)) as last,
    cursor_offset + position as deleted, cursor_offset
  from deleted_events`;

const columns = `cursor_offset + position as cursor, event_id as id, user_id as "userId", type, sequence, data,
  occurred_at as "occurredAt"`;

/**
 * Returns a statement that reads the ends of the log with one snapshot of its events: one row with
 * the ends only if no event is found.
 */
const withEnds = (events: string): string => `
  select ends.last, ends.deleted, ${columns}
  from (${ends}) ends left join lateral (${events}) found on true order by position`;

/**
 * Condition and order of a page. The expression `position + 0` is that of the indexes: see the
 * migration.
 */
const afterCursor =
  'user_id = $1 and position + 0 > coalesce($2::bigint - cursor_offset, 0) order by position + 0 limit $3';

const readAll = withEnds(`select * from events where ${afterCursor}`);

/** Reads each type as a range of the index: a rare type costs as little as a frequent one. */
const readTypes = withEnds(`
  select found.*
  from unnest($4::text[]) as wanted (of_type) cross join lateral (
    select * from events where type = of_type and ${afterCursor}
  ) found
  order by position limit $3`);

/**
 * Reads one entry of the index for each user, in the snapshot of the end of the log. `max` is a
 * read of the index only: for `exists`, PostgreSQL scanned all events.
 */
const newest = `
  select ends.last, array(
    select user_id::integer from unnest($1::bigint[], $2::bigint[]) reader (user_id, after)
    where reader.after not between deleted and last
      or (select max(position + 0) from events where events.user_id = reader.user_id) > reader.after - cursor_offset
  ) as "userIds"
  from (${ends}) ends`;

/** Returns an event as clients see it. */
export const toEvent = ({ id, userId, type, sequence, data, occurredAt }: EventRow): Event => ({
  id,
  type,
  timestamp: occurredAt.toISOString(),
  userId,
  sequence,
  data,
});

@Injectable()
export class EventQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns events of a user in the order of the log, and the cursor for the next call. The cursor
   * of a page without events is the end of the log, so that it does not expire while a user has no
   * events.
   *
   * @param after a cursor, or `latest` for the end of the log; undefined for the oldest event
   * @throws DomainError event.cursor-expired
   */
  async list(userId: number, after: string | undefined, { types, limit }: PageOptions): Promise<EventPage> {
    const { found, hasNext, cursor } = await this.page(userId, after, { types, limit });
    return { events: found.map(toEvent), meta: { hasNext, cursor } };
  }

  /** As `list`, with the cursor of each event. */
  async follow(userId: number, after: string, options: PageOptions): Promise<FollowedPage> {
    const { found, ...page } = await this.page(userId, after, options);
    return { events: found.map((row) => ({ cursor: String(row.cursor), event: toEvent(row) })), ...page };
  }

  /**
   * Returns those of the users that have events after their cursor, or whose cursor has expired,
   * and the end of the log.
   */
  async newest(users: readonly { readonly userId: number; readonly after: string }[]): Promise<NewestEvents> {
    const [log] = await this.database.read<{ last: number; userIds: number[] }>(newest, [
      users.map(({ userId }) => userId),
      users.map(({ after }) => after),
    ]);
    return { userIds: log!.userIds, cursor: String(log!.last) };
  }

  private async page(userId: number, after: string | undefined, { types, limit }: PageOptions): Promise<RowPage> {
    if (after === 'latest') {
      const [log] = await this.database.read<LogEnds>(ends, []);
      return { found: [], hasNext: false, cursor: String(log!.last) };
    }
    const rows = await this.read({ userId, after: after === undefined ? null : Number(after), types, limit });
    const { last, deleted } = rows[0]!;
    const start = after === undefined ? deleted : Number(after);
    // A cursor after the end is of events that a recovery to a point in time has lost
    if (start < deleted || start > last) throw cursorExpired();
    const found = rows.filter((row): row is LogEnds & LogRow => row.cursor !== null);
    const events = found.slice(0, limit);
    return { found: events, hasNext: found.length > limit, cursor: String(events.at(-1)?.cursor ?? last) };
  }

  private read({ userId, after, types, limit }: Selection): Promise<Row[]> {
    return types === undefined || types.length === publicEventTypes.length
      ? this.database.read(readAll, [userId, after, limit + 1])
      : this.database.read(readTypes, [userId, after, limit + 1, types]);
  }
}
