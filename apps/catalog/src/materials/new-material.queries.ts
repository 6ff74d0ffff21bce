import { insertOfEvent, metadataOfCall } from '#events';
import { searchColumns } from '#kernel';
import { lockedAuthor } from '#persistence';
import { productColumns } from '../products/product-rows.queries.js';
import { type MaterialDraft } from './material.rules.js';

/**
 * Statement that inserts a material, its products in their order, and their events, and returns
 * them as MaterialAndProductRows; no row if the author is deleted. The author is locked first.
 * `published` reads `created`, so that the event of the material is inserted before those of its
 * products.
 */
export const insertMaterial = `
  with ${lockedAuthor('$1')}, given as (
    select given.* from rows from (jsonb_to_recordset($11::jsonb) as ("itemId" bigint, "exemplaryVariantId" bigint,
      published boolean, "resizeMode" text, placement jsonb, prints jsonb)) with ordinality
      as given (item_id, variant_id, published, resize_mode, placement, prints, place)
  ), material as (
    insert into materials (user_id, title, description, price, published, published_at, texture_hash, texture_format,
      original_width, original_height, dominant_rgb, animated, revision)
    select u.id, $2, $3, $4::integer, shown.published, case when shown.published then now() end, $5, $6,
      $7::integer, $8::integer, $9, $10::boolean, 1
    from author, accounts.users u, (select coalesce(bool_or(published), false) as published from given) shown
    where user_exists and u.id = $1
    returning *
  ), product as (
    insert into products (material_id, user_id, item_id, exemplary_variant_id, published, published_at, resize_mode,
      placement, prints, search_text, search_tokens, revision)
    select m.id, m.user_id, item_id, variant_id, given.published, case when given.published then now() end, resize_mode,
      given.placement, given.prints, $12, $13::text[], given.published::integer
    from material m, given order by place
    returning *
  ), created as (
    ${insertOfEvent('material.created', {
      payload: { materialId: 'id', userId: 'user_id', title: 'title', revision: 'revision' },
      metadata: '$14',
      from: 'material',
    })}
    returning id
  ), published as (
    ${insertOfEvent('product.published', {
      payload: {
        productId: 'id',
        materialId: 'material_id',
        itemId: 'item_id',
        userId: 'user_id',
        revision: 'revision',
      },
      metadata: '$14',
      from: '(select * from product where listed and (select count(*) from created) >= 0 order by id) product',
    })}
  )
  select ${productColumns}
  from material m join accounts.users u on u.id = m.user_id left join product p on p.material_id = m.id
  order by p.id`;

/** Returns the parameters of `insertMaterial`. */
export function newMaterialParameters(draft: MaterialDraft): unknown[] {
  const { userId, title, description, price, texture, products } = draft;
  const { searchText, searchTokens } = searchColumns(title);
  return [
    ...[userId, title, description, price, texture.hash, texture.format, texture.width, texture.height],
    ...[texture.dominantRgb, texture.animated ?? false, JSON.stringify(products), searchText, searchTokens],
    JSON.stringify(metadataOfCall()),
  ];
}
