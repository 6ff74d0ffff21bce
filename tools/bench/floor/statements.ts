import { materialColumns, productColumns } from './products.js';

// SQL of the floor: one statement per response, except for a new material. Statements of lists
// select ids before they join; limits and offsets are literals.

const newestFirst = 'order by created_at desc, id desc';
const withParts = 'join catalog.materials m on m.id = p.material_id join accounts.users u on u.id = m.user_id';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

const limitAndOffset = ({ limit, offset }: Page): string => `limit ${limit + 1} offset ${offset}`;

/** Selects the products of a subquery that returns `id` and `created_at`. */
export const productsOf = (ids: string): string => `
  with page as (${ids})
  select ${productColumns}
  from page join catalog.products p on p.id = page.id ${withParts}
  order by page.created_at desc, page.id desc`;

/** Selects a page of listed products. @param filter condition of `products` with its parameter */
export const listOf = (filter: string | undefined, page: Page): string =>
  productsOf(
    `select id, created_at from catalog.products where listed ${filter ? `and ${filter}` : ''} ${newestFirst} ${limitAndOffset(page)}`,
  );

export const productById = `
  select ${productColumns} from catalog.products p ${withParts} where p.id = $1 and p.listed`;

export const materialsOf = (page: Page): string => `
  with page as (select id, created_at from catalog.materials where user_id = $1 ${newestFirst} ${limitAndOffset(page)})
  select ${materialColumns}
  from page join catalog.materials m on m.id = page.id join accounts.users u on u.id = m.user_id
  order by page.created_at desc, page.id desc`;

/**
 * Selects the ids and the products in one statement; the service needs two processes for this. The
 * variant is the last column.
 */
export const choiceOf = (page: Page): string => `
  with page as (
    select e.product_id as id, e.item_variant_id, e.position
    from social.choice_products e join catalog.products p on p.id = e.product_id
    where e.choice_id = $1 and p.listed order by e.position ${limitAndOffset(page)}
  )
  select ${productColumns}, page.item_variant_id
  from page join catalog.products p on p.id = page.id ${withParts}
  order by page.position`;

/** Inserts favorite and event and updates the counter, in one statement. */
export const placeFavorite = `
  with product as (
    select p.id, p.user_id, m.title from catalog.products p join catalog.materials m on m.id = p.material_id
    where p.id = $2 and p.listed
  ), total as (
    insert into social.product_favorites as known (product_id, total_count) select id, $3::bigint from product
    on conflict (product_id) do update set total_count = known.total_count + excluded.total_count where not known.deleted
    returning product_id, total_count
  ), placed as (
    insert into social.favorites (user_id, product_id, count, anonymous, x, y, rotation)
    select $1::bigint, product_id, $3::bigint, false, $4::float8, $5::float8, $6::integer from total
    on conflict (user_id, product_id) do update
      set count = favorites.count + excluded.count, anonymous = excluded.anonymous, updated_at = now()
    returning id, count, x, y, rotation
  ), appended as (
    insert into social.floor_outbox (id, name, version, payload)
    select gen_random_uuid(), 'favorite.placed', 1, jsonb_build_object(
      'favoriteId', placed.id, 'productId', product.id, 'productTitle', product.title, 'ownerId', product.user_id,
      'userId', $1::bigint, 'anonymous', false, 'count', placed.count)
    from placed, product
  )
  select placed.id, count, rotation, x, y, total_count from placed, total`;

/**
 * Inserts texture, material, products and event in one statement; the products of the response are
 * selected afterwards.
 */
export const createMaterial = `
  with texture as (
    insert into rendering.textures (hash, format, width, height, bytes, dominant_rgb)
    values ($2, $3, $4, $5, $6, $7) on conflict do nothing
  ), material as (
    insert into catalog.materials (user_id, title, price, published, published_at, texture_hash, texture_format,
      original_width, original_height, dominant_rgb)
    values ($1, $8, $9, true, now(), $2, $3, $4, $5, $7)
    returning id, user_id
  ), made as (
    insert into catalog.products (material_id, user_id, item_id, exemplary_variant_id, published, published_at,
      search_text, search_tokens)
    select material.id, material.user_id, i.id, i.exemplary_variant_id, true, now(), $10, $11
    from material, unnest($12::bigint[]) with ordinality as wanted (id, place) join catalog.items i on i.id = wanted.id
    order by place
    returning id
  ), appended as (
    insert into catalog.floor_outbox (id, name, version, payload)
    select gen_random_uuid(), 'material.created', 1, jsonb_build_object('materialId', id, 'userId', user_id, 'title', $8::text)
    from material
  )
  select id from material, (select count(*) from made) as counted`;

export const productsOfMaterial = `
  select ${productColumns} from catalog.products p ${withParts} where p.material_id = $1 order by p.id`;
