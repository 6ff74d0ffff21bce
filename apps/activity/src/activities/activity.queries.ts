import { Injectable, Logger } from '@nestjs/common';
import type { Activity, Language } from '#contracts';
import { Database, userMembers } from '#persistence';
import { currentCall } from '#request-queue';
import { ActivityJson, type ActivityRow } from './activity.json.js';

/** The user of that id, or the anonymous one when there is none any more. */
const joinUser = (alias: string, id: string): string =>
  `join accounts.users ${alias} on ${alias}.id = coalesce((select id from accounts.users where id = ${id}), 0)`;

/** What a list leaves of its time for its answer; marking 5,000 takes some 0.4 s on a busy machine. */
const reservedMs = 2_000;

/**
 * The newest activities of a user. The same statement marks these and a batch of the others as read: the list has no
 * cursor, so that nothing else could ever mark what stands beyond its limit. An activity that is committed after the
 * snapshot of the statement stays unread, however old it is. Rows are locked by id, so that two lists of one user never
 * wait for each other in a circle.
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

/** Marks a batch of what is older than an activity, also what was committed after the list was read. */
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
  /** Bounds one statement: 100,000 at once took 8.4 s on a busy machine, near the time limit of 10 s. */
  readonly markedAtOnce: number = 5_000;

  private readonly log = new Logger('ActivityQueries');

  constructor(
    private readonly database: Database,
    private readonly view: ActivityJson,
  ) {}

  /**
   * Returns the newest activities of the viewer; these and the older ones are read from then on: batch by batch, each
   * committed by itself. When the time of the caller is nearly over or a batch fails, the next list marks the rest.
   */
  async list(viewerId: number, limit: number, language: Language): Promise<Activity[]> {
    const rows = await this.database.write<ListedRow>(readNewest, [viewerId, limit, this.markedAtOnce]);
    const last = rows.at(-1);
    if (last) await this.markOlder(last);
    return rows.map((row) => this.view.show(row, language));
  }

  private async markOlder({ id, ...first }: ListedRow): Promise<void> {
    try {
      let { marked } = first;
      while (marked >= this.markedAtOnce && hasTime()) {
        const [batch] = await this.database.write<{ marked: number }>(markOlder, [id, this.markedAtOnce]);
        marked = batch!.marked;
      }
    } catch (error) {
      // The list itself is committed, and would be lost with its marks
      this.log.warn(`Marking older activities as read failed, the next list marks the rest: ${String(error)}`);
    }
  }

  /** Returns how many activities of the viewer are unread: no list has marked them. */
  async unreads(viewerId: number): Promise<number> {
    const [row] = await this.database.read<{ unreads: number }>(
      'select count(*) as unreads from activities where receiver_id = $1 and read_at is null',
      [viewerId],
    );
    return row!.unreads;
  }
}

const hasTime = (): boolean => (currentCall()?.remainingMs() ?? Infinity) > reservedMs;
