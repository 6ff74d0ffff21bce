import { Injectable, Logger } from '@nestjs/common';
import type { Activity, ActivityKind, Language, ReplyOf, Services } from '#contracts';
import { Database, userMembers } from '#persistence';
import { currentCall } from '#request-queue';
import { ActivityJson, type ActivityRow } from './activity.json.js';

/** Joins the user of an id, or the anonymous user when accounts has no such user. */
const joinUser = (alias: string, id: string): string =>
  `join accounts.users ${alias} on ${alias}.id = coalesce((select id from accounts.users where id = ${id}), 0)`;

/**
 * Remaining time of the caller up to which no further batch is marked, so that the reply arrives
 * before the deadline. A batch of 5,000 takes some 0.4 s on a busy machine.
 */
const reservedMs = 2_000;

/**
 * Selects the newest activities of a user, and marks these and a batch of any unread ones as read.
 * The list has no cursor, so activities beyond its limit could not be marked in another way. An
 * activity that is committed after the snapshot of the statement stays unread, however old it is.
 * Rows are locked in the order of their ids, so that two lists of one user never deadlock.
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
 * Marks a batch of the activities that are older than a given one as read, including those that
 * were committed after the list was read.
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

type Subjects = ReplyOf<Services['activity'], 'activities.subjects'>;

interface SubjectRow {
  readonly activityId: string;
  readonly kind: ActivityKind;
  readonly id: number;
}
type ListedRow = ActivityRow & { readonly marked: number };

@Injectable()
export class ActivityQueries {
  /**
   * Number of activities that one statement marks: 100,000 took 8.4 s on a busy machine, near the
   * statement timeout of 10 s.
   */
  readonly markBatchSize: number = 5_000;

  private readonly log = new Logger('ActivityQueries');

  constructor(
    private readonly database: Database,
    private readonly activityJson: ActivityJson,
  ) {}

  /**
   * Returns the newest activities of the viewer, and marks these and all older ones as read, in
   * batches that are committed separately. When the caller's deadline is near or a later batch
   * fails, the next list marks the rest. If the first batch fails, the call fails.
   */
  async list(viewerId: number, limit: number, language: Language): Promise<Activity[]> {
    const rows = await this.database.write<ListedRow>(readNewest, [viewerId, limit, this.markBatchSize]);
    const last = rows.at(-1);
    if (last) await this.markOlder(last);
    return rows.map((row) => this.activityJson.toActivity(row, language));
  }

  private async markOlder({ id, ...first }: ListedRow): Promise<void> {
    try {
      let { marked } = first;
      while (marked >= this.markBatchSize && hasTimeLeft()) {
        const [batch] = await this.database.write<{ marked: number }>(markOlder, [id, this.markBatchSize]);
        marked = batch!.marked;
      }
    } catch (error) {
      // The listed activities are already committed as read, so after an error response no unread
      // count would report them
      this.log.warn(`Marking older activities as read failed, the next list marks the rest: ${String(error)}`);
    }
  }

  /** Returns the materials, webhook endpoints and products of activities of the viewer. */
  async subjects(viewerId: number, activityIds: readonly string[]): Promise<Subjects> {
    const rows = await this.database.read<SubjectRow>(
      `select replace(id::text, '-', '') as "activityId", kind,
         coalesce(data ->> 'materialId', data ->> 'endpointId', data ->> 'productId')::bigint as id
       from activities where receiver_id = $1 and id = any($2::uuid[])`,
      [viewerId, activityIds],
    );
    return {
      subjects: rows.flatMap(({ kind, ...subject }) =>
        kind === 'material' || kind === 'webhook' ? [{ kind, ...subject }] : [],
      ),
      products: rows.flatMap(({ activityId, kind, id }) =>
        kind === 'favorite' || kind === 'sale' ? [{ activityId, productId: id }] : [],
      ),
    };
  }

  /** Returns the number of unread activities of the viewer. */
  async unreads(viewerId: number): Promise<number> {
    const [row] = await this.database.read<{ unreads: number }>(
      'select count(*) as unreads from activities where receiver_id = $1 and read_at is null',
      [viewerId],
    );
    return row!.unreads;
  }
}

const hasTimeLeft = (): boolean => (currentCall()?.remainingMs() ?? Infinity) > reservedMs;
