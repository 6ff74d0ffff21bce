import { schemaNames } from '#persistence';
import { type Check, sqlCheck } from './check.js';

// References between schemas have no foreign keys and are compared here. Rows that refer to a
// deleted user, material or product are deleted by an event, so findings name that object.

const favoriteChecks: readonly Check[] = [
  sqlCheck(
    'The favorites total of each product is the sum of its favorites',
    'social.product_favorites',
    `select format('product %s: total_count %s, its favorites add up to %s', product_id, total_count, coalesce(sum, 0)) as what
     from social.product_favorites
     left join (select product_id, sum(count) from social.favorites group by 1) f using (product_id)
     where total_count <> coalesce(sum, 0)`,
  ),
  sqlCheck(
    'The product and the user of each favorite exist',
    'social.favorites',
    `select format('favorite %s: user %s, product %s', f.id, f.user_id, f.product_id) as what,
       case when p.id is null then f.product_id end as product, case when u.id is null then f.user_id end as user
     from social.favorites f left join catalog.products p on p.id = f.product_id
     left join accounts.users u on u.id = f.user_id
     where p.id is null or u.id is null`,
  ),
  sqlCheck(
    'The owner of the product has an activity for each favorite',
    'social.favorites',
    `select format('favorite %s: user %s, product %s', f.id, f.user_id, f.product_id) as what,
       f.product_id as product, f.user_id as user, f.user_id || '/' || f.product_id as favorite
     from social.favorites f join catalog.products p on p.id = f.product_id and p.user_id <> f.user_id
     where not exists (select from activity.activities a where a.kind = 'favorite' and a.actor_id = f.user_id
       and a.data ->> 'productId' = f.product_id::text)`,
  ),
  sqlCheck(
    'Favorites totals of deleted products, and only those, are marked as deleted',
    'social.product_favorites',
    `select format('product %s: %s', product_id, case when deleted then 'marked as deleted, but exists' else 'deleted, but not marked' end)
       as what, product_id as product
     from social.product_favorites left join catalog.products p on p.id = product_id
     where deleted = (p.id is not null)`,
  ),
];

const choiceChecks: readonly Check[] = [
  sqlCheck(
    'The user of each choice exists',
    'social.choices',
    `select format('choice %s: user %s', c.id, user_id) as what, user_id as user
     from social.choices c left join accounts.users u on u.id = user_id where u.id is null`,
  ),
  sqlCheck(
    'Each product in a choice exists, in a variant of its item',
    'social.choice_products',
    `select format('choice %s: product %s, variant %s', choice_id, product_id, item_variant_id) as what,
       case when p.id is null then product_id end as product
     from social.choice_products left join catalog.products p on p.id = product_id
     left join catalog.item_variants v on v.id = item_variant_id and v.item_id = p.item_id
     where v.id is null`,
  ),
];

const activityChecks: readonly Check[] = [
  sqlCheck(
    'The receiver and the actor of each activity exist',
    'activity.activities',
    `select format('activity %s: receiver %s, actor %s', a.id, receiver_id, actor_id) as what,
       case when r.id is null then receiver_id else actor_id end as user
     from activity.activities a left join accounts.users r on r.id = receiver_id
     left join accounts.users s on s.id = actor_id
     where r.id is null or s.id is null`,
  ),
  sqlCheck(
    'Favorites of a user for a product result in at most one activity an hour',
    'activity.activities',
    `select format('activity %s: user %s, product %s', id, actor_id, product) as what
     from (select id, actor_id, data ->> 'productId' as product, created_at, lag(created_at) over
       (partition by actor_id, data ->> 'productId' order by created_at) as before
       from activity.activities where kind = 'favorite') favorites
     where created_at - before < interval '1 hour'`,
  ),
];

const materialChecks: readonly Check[] = [
  sqlCheck(
    'The owner of each material exists',
    'catalog.materials',
    `select format('material %s: user %s', m.id, user_id) as what, user_id as user
     from catalog.materials m left join accounts.users u on u.id = user_id where u.id is null`,
  ),
  sqlCheck(
    'The buyer of each purchase exists',
    'catalog.purchases where buyer_id is not null',
    `select format('purchase %s: user %s', p.id, buyer_id) as what, buyer_id as user
     from catalog.purchases p left join accounts.users u on u.id = buyer_id where buyer_id is not null and u.id is null`,
  ),
  sqlCheck(
    'Materials with a published product, and only those, are published',
    'catalog.materials',
    `select format('material %s: published %s', m.id, m.published) as what from catalog.materials m
     where m.published <> exists (select from catalog.products p where p.material_id = m.id and p.published)`,
  ),
  sqlCheck(
    'The textures of each material exist',
    'catalog.materials',
    `select format('material %s: texture %s', used.id, used.hash) as what
     from (select id, texture_hash as hash from catalog.materials
       union select material_id, print ->> 'textureHash' from catalog.products, jsonb_array_elements(prints) as print) used
     left join rendering.textures t on t.hash = used.hash where t.hash is null`,
  ),
  // Materials created without products have no rendering activity, and a violation may have been
  // set before the images were rendered
  sqlCheck(
    'The images of each material are rendered, and the owner is notified',
    'catalog.materials',
    `select format('material %s of user %s', m.id, m.user_id) as what, m.id as material, m.user_id as user
     from catalog.materials m
     where m.violation_reason is null and not m.violation
       and exists (select from catalog.products p where p.material_id = m.id and p.created_at = m.created_at)
       and not exists (select from activity.activities a
         where a.kind = 'material' and (a.data ->> 'materialId')::bigint = m.id)`,
  ),
  sqlCheck(
    'The user of each sale exists',
    'catalog.sales where user_id is not null',
    `select format('sale %s: user %s', s.id, user_id) as what, user_id as user
     from catalog.sales s left join accounts.users u on u.id = user_id where user_id is not null and u.id is null`,
  ),
];

const deletedUsersSchemas = ['catalog', 'social', 'activity', 'rendering'];
const userChecks: readonly Check[] = [
  sqlCheck(
    'Users whose data is deleted have no account',
    `(${deletedUsersSchemas.map((schema) => `select from ${schema}.deleted_users`).join(' union all ')}) deleted`,
    deletedUsersSchemas
      .map(
        (schema) => `select format('${schema}: user %s', id) as what
         from ${schema}.deleted_users join accounts.users on id = user_id`,
      )
      .join(' union all '),
  ),
  sqlCheck(
    'The built-in user anonymous exists',
    '(values (1)) it',
    `select 'the user anonymous is missing' as what where not exists (select from accounts.users where id = 0)`,
  ),
];

const named = schemaNames.map((schema) => `'${schema}'`).join(', ');

/**
 * Constraints and indexes that an interrupted migration did not validate, and sequences whose next
 * id exists.
 */
const schemaChecks: readonly Check[] = [
  sqlCheck(
    'All constraints and indexes are valid',
    `pg_constraint where connamespace in (select oid from pg_namespace where nspname in (${named}))`,
    `select format('%s: rule %s', conrelid::regclass, conname) as what from pg_constraint
     join pg_namespace n on n.oid = connamespace where nspname in (${named}) and not convalidated
     union all select format('%s: index %s', indrelid::regclass, indexrelid::regclass) from pg_index
     join pg_class c on c.oid = indexrelid join pg_namespace n on n.oid = relnamespace
     where nspname in (${named}) and not indisvalid`,
  ),
  {
    name: 'No sequence returns an existing id',
    run: async ({ database }) => {
      const { rows } = await database.query<{ table: string; column: string; sequence: string }>(
        `select format('%I.%I', table_schema, table_name) as table, quote_ident(column_name) as column,
           pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name) as sequence
         from information_schema.columns where is_identity = 'YES' and table_schema in (${named})`,
      );
      const findings = [];
      for (const { table, column, sequence } of rows) {
        const { rows: late } = await database.query<{ what: string }>(
          `select format('${table}: %s is given, %s is next', max(${column}), last_value + is_called::int) as what
           from ${sequence}, ${table} group by last_value, is_called having max(${column}) >= last_value + is_called::int`,
        );
        findings.push(...late);
      }
      return { checked: rows.length, findings };
    },
  },
];

const outboxes = schemaNames;
const eventChecks: readonly Check[] = [
  sqlCheck(
    'No event has been in an outbox for a minute',
    `(${outboxes.map((schema) => `select from ${schema}.outbox`).join(' union all ')}) it`,
    outboxes
      .map(
        (schema) => `select format('${schema}: %s %s', name, id) as what from ${schema}.outbox
         where occurred_at < now() - interval '1 minute'`,
      )
      .join(' union all '),
  ),
];

const notes: readonly Check[] = [
  sqlCheck(
    'Each texture is used by a material',
    'rendering.textures',
    `select format('texture %s', hash) as what from rendering.textures t
     where not exists (select from catalog.materials where texture_hash = t.hash)
       and not exists (select from catalog.products where prints @> jsonb_build_array(jsonb_build_object('textureHash', t.hash)))`,
    true,
  ),
];

export const rowChecks: readonly Check[] = [
  ...favoriteChecks,
  ...choiceChecks,
  ...activityChecks,
  ...materialChecks,
  ...userChecks,
  ...schemaChecks,
  ...eventChecks,
  ...notes,
];
