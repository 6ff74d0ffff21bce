import type pg from 'pg';
import { existingFavorites } from './check-favorites.js';
import type { FavoriteRecord, Ledger, MaterialRecord } from './load.js';
import type { Notes } from './notes.js';

/** The log of the users in `$1`, with the resource of each event. */
const log = `
  with logged as materialized (
    select position, event_id, user_id::int as user_id, type, sequence, data,
      case split_part(type, '.', 1)
        when 'material' then 'material ' || (data ->> 'materialId')
        when 'product' then 'product ' || (data ->> 'productId')
        when 'favorite' then 'favorite ' || (data ->> 'favoriteId')
        else 'event ' || event_id
      end as resource
    from webhooks.events where user_id = any($1)
  )`;

const repeated = `${log}
  select event_id as id, user_id as "userId", count(*)::int as count from logged group by 1, 2 having count(*) > 1`;

const unordered = `${log}
  select resource, user_id as "userId", array_agg(sequence order by position) as sequences
  from (select *, row_number() over (partition by resource, user_id order by position) as number from logged) numbered
  group by 1, 2 having bool_or(sequence <> number)`;

/**
 * Resources whose number of events differs from that of their committed changes. Each service
 * counts the changes of a resource under the lock of its row.
 */
const committed = `${log}, changed as (
    select 'material ' || id as resource, user_id::int as user_id, revision from catalog.materials
    union all select 'product ' || p.id, m.user_id::int, p.revision from catalog.products p join catalog.materials m on m.id = material_id
    union all select 'favorite ' || id, user_id::int, revision from social.favorites
    union all select 'activity ' || replace(id::text, '-', ''), receiver_id::int, 1 from activity.activities
  ), counted as (
    select case type when 'activity.created' then 'activity ' || (data ->> 'activityId') else resource end as resource,
      user_id, count(*)::int as count
    from logged where type <> 'material.rendered' group by 1, 2
  )
  select resource, revision::int as changes, coalesce(count, 0) as count
  from changed left join counted using (resource, user_id)
  where user_id = any($1) and revision <> coalesce(count, 0)`;

const counts = `${log}
  select user_id as "userId", type, (coalesce(data ->> 'materialId', data ->> 'productId'))::int as id,
    (data ->> 'userId')::int as actor, count(*)::int as count
  from logged where type ~ '^(material|favorite)' group by 1, 2, 3, 4
  union all
  select user_id, type, (data ->> 'productId')::int, null, count(*)::int from logged where type ~ '^product' group by 1, 2, 3`;

interface Count {
  readonly userId: number;
  readonly type: string;
  /** Of the material, or of the product. */
  readonly id: number;
  /** User who has placed or withdrawn the favorite. */
  readonly actor: number | null;
  readonly count: number;
}

const keyOf = ({ userId, type, id, actor }: Omit<Count, 'count'>): string => `${type} ${id} ${actor} of user ${userId}`;

/** Number of events in the log, by user, type and resource. */
class EventCounts {
  private readonly counts: ReadonlyMap<string, number>;

  constructor(
    rows: readonly Count[],
    private readonly notes: Notes,
  ) {
    this.counts = new Map(rows.map((row) => [keyOf(row), row.count]));
  }

  expect(of: Omit<Count, 'count'>, least: number, most = least): void {
    const count = this.counts.get(keyOf(of)) ?? 0;
    const sentence = `${of.type} of ${of.id} is ${count} times in the log of user ${of.userId} instead of ${least}`;
    if (count < least) this.notes.lost(sentence);
    if (count > most) this.notes.duplicated(sentence);
  }
}

/**
 * Checks the event log: each committed change is in it once, and the events of a resource are in
 * the order of its changes.
 */
export async function checkEvents(database: pg.Client, ledger: Ledger, notes: Notes): Promise<void> {
  const users = ledger.users.map(({ id }) => id);
  const read = async <Row extends object>(sql: string, values: unknown[] = [users]): Promise<Row[]> =>
    (await database.query<Row>(sql, values)).rows;
  for (const row of await read<{ id: string; userId: number; count: number }>(repeated))
    notes.duplicated(`event ${row.id} is ${row.count} times in the log of user ${row.userId}`);
  for (const row of await read<{ resource: string; userId: number; sequences: number[] }>(unordered))
    notes.wrong(
      `the events of ${row.resource} in the log of user ${row.userId} have the order ${row.sequences.join()}`,
    );
  for (const { resource, changes, count } of await read<{ resource: string; changes: number; count: number }>(
    committed,
  ))
    notes[count < changes ? 'lost' : 'duplicated'](`${resource} has ${changes} changes and ${count} events`);
  for (const row of await read<{ resource: string }>('select resource from webhooks.early_events', []))
    notes.lost(`an event of ${row.resource.replace(':', ' ')} waits for an earlier one`);
  const events = new EventCounts(await read<Count>(counts), notes);
  for (const material of ledger.materials.values()) expectMaterial(events, material);
  const existing = new Set(existingFavorites(ledger));
  for (const favorite of ledger.favorites.values()) expectFavorite(events, favorite, existing.has(favorite));
}

function expectMaterial(events: EventCounts, { id, userId, products, changes, deleted }: MaterialRecord): void {
  const expect = (type: string, least: number, most = least, of = id) =>
    events.expect({ userId, type, id: of, actor: null }, least, most);
  const [least, most] = [Number(deleted === true), Number(deleted !== false)];
  const hasImages = Number(products.length > 0);
  expect('material.created', 1);
  expect('material.updated', changes.acknowledged, changes.sent);
  expect('material.deleted', least, most);
  // A material deleted before rendering has no event
  expect('material.rendered', hasImages - most, hasImages);
  for (const product of products) {
    expect('product.published', Number(product.published), Number(product.published), product.id);
    if (product.published) expect('product.unpublished', least, most, product.id);
  }
}

function expectFavorite(
  events: EventCounts,
  { userId, ownerId, productId, placements, withdrawals }: FavoriteRecord,
  exists: boolean,
): void {
  const expect = (type: string, viewer: number, least: number, most: number) =>
    events.expect({ userId: viewer, type, id: productId, actor: userId }, least, most);
  for (const viewer of new Set([userId, ownerId])) {
    expect('favorite.placed', viewer, placements.acknowledged, placements.sent);
    // The deletion of a product withdraws its favorites without an event for its owner
    expect('favorite.withdrawn', viewer, withdrawals.acknowledged, withdrawals.sent + Number(!exists));
  }
}
