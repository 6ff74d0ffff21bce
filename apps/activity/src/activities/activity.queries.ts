import { Injectable, Logger } from '@nestjs/common';
import type { Activity, Language } from '#contracts';
import { Database, userMembers } from '#persistence';
import { currentCall } from '#request-queue';
import { ActivityJson, type ActivityRow } from './activity.json.js';

/** Joins the user of an id, or the anonymous user when that user is deleted. */
const joinUser = (alias: string, id: string): string =>
  `join accounts.users ${alias} on ${alias}.id = coalesce((select id from accounts.users where id = ${id}), 0)`;

/** Time reserved for the reply of a list; marking 5,000 takes some 0.4 s on a busy machine. */
const reservedMs = 2_000;

/**
 * Selects the newest activities of a user, and marks these and a batch of older ones as read. The
 * list has no cursor, so nothing else could mark activities beyond its limit. An activity that is
 * committed after the snapshot of the statement stays unread, however old it is. Rows are locked in
 * the order of their ids, so that two lists of one user never deadlock.
 */
const readNewest = `
  with page as (
    select id, sender_id, receiver_id, kind, data, created_at
    from activities where receiver_id = $1
    order by created_at desc, id desc limit $2
  ), unread as (
    select id from activities
    where read_at is null and id in (
      select id from page
      union all (select id from activities where receiver_id = $1 and read_at is null limit $3)
    )
    order by id for update
  ), marked as (
    update activities set read_at = now() from unread where activities.id = unread.id
  )
  select replace(page.id::text, '-', '') as id, kind, data, page.created_at as "createdAt",
    json_build_object(${userMembers('sender')}) as sender, json_build_object(${userMembers('receiver')}) as receiver,
    (select count(*) from unread) as marked
  from page
  ${joinUser('sender', 'page.sender_id')}
  ${joinUser('receiver', 'page.receiver_id')}
  order by page.created_at desc, page.id desc`;

/**
 * Marks a batch of activities older than a given one, including those committed after the list was
 * read.
 */
const markOlder = `
  with last as (
    select receiver_id, created_at, id from activities where id = $1::uuid
  ), unread as (
    select id from activities where read_at is null and id in (
      select a.id from last join activities a using (receiver_id)
      where a.read_at is null and (a.created_at, a.id) < (last.created_at, last.id) limit $2
    )
    order by id for update
  ), marked as (
    update activities set read_at = now() from unread where activities.id = unread.id
  )
  select count(*) as marked from unread`;

type ListedRow = ActivityRow & { readonly marked: number };

@Injectable()
export class ActivityQueries {
  /**
   * Activities that one statement marks: 100,000 took 8.4 s on a busy machine, near the statement
   * timeout of 10 s.
   */
  readonly markBatchSize: number = 5_000;

  private readonly log = new Logger('ActivityQueries');

  constructor(
    private readonly database: Database,
    private readonly activityJson: ActivityJson,
  ) {}

  /**
   * Returns the newest activities of the viewer, and marks these and all older ones as read. Marks
   * are committed batch by batch. When the caller's deadline is near or a batch fails, the next
   * list marks the rest.
   */
  async list(viewerId: number, limit: number, language: Language): Promise<Activity[]> {
    const rows = await this.database.write<ListedRow>(readNewest, [viewerId, limit, this.markBatchSize]);
    const last = rows.at(-1);
    if (last) await this.markOlder(last);
    return rows.map((row) => this.activityJson.show(row, language));
  }

  private async markOlder({ id, ...first }: ListedRow): Promise<void> {
    try {
      let { marked } = first;
      while (marked >= this.markBatchSize && hasTimeLeft()) {
        const [batch] = await this.database.write<{ marked: number }>(markOlder, [id, this.markBatchSize]);
        marked = batch!.marked;
      }
    } catch (error) {
      // The list's own marks are committed: an error would lose the list, and its activities are no
      // longer unread
      this.log.warn(`Marking older activities as read failed, the next list marks the rest: ${String(error)}`);
    }
  }

  /** Returns how many activities of the viewer no list has marked as read. */
  async unreads(viewerId: number): Promise<number> {
    const [row] = await this.database.read<{ unreads: number }>(
      'select count(*) as unreads from activities where receiver_id = $1 and read_at is null',
      [viewerId],
    );
    return row!.unreads;
  }
}

const hasTimeLeft = (): boolean => (currentCall()?.remainingMs() ?? Infinity) > reservedMs;
