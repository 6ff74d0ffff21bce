import { Injectable } from '@nestjs/common';
import { type ReplyOf, type Services } from '#contracts';
import { Database } from '#persistence';
import { ItemCache } from '../items/item.cache.js';
import { catalogForRows } from '../products/catalog-for-rows.snapshot.js';

interface SitemapRow {
  readonly userName: string;
  readonly materialId: number;
  readonly itemId: number;
  readonly variantId: number;
  readonly updatedAt: Date;
  readonly isFirstOfUser: boolean;
}

/**
 * Number of product ids of a sitemap. A product never moves to another sitemap, and a sitemap reads
 * one range of the primary key, at the same cost for the first and the last.
 */
const idsPerSitemap = 1_000;

/**
 * Selects the numbers of sitemaps with public products. Jumps from the first public product of a
 * sitemap to that of the next such sitemap.
 */
const nonEmptySitemaps = `
  with recursive sitemap (number) as (
    (select (id - 1) / ${idsPerSitemap} + 1 from products where listed order by id limit 1)
    union all
    select (select (id - 1) / ${idsPerSitemap} + 1 from products
      where listed and id > sitemap.number * ${idsPerSitemap} order by id limit 1)
    from sitemap where sitemap.number is not null
  )
  select number from sitemap where number is not null`;

/** Selects the public products of a range of ids. The join excludes products of deleted users. */
const productsOfSitemap = `
  select u.name as "userName", material_id as "materialId", item_id as "itemId",
    exemplary_variant_id as "variantId", products.updated_at as "updatedAt",
    products.id = (select id from products first where first.user_id = products.user_id and first.listed
      order by created_at, id limit 1) as "isFirstOfUser"
  from products join accounts.users u on u.id = products.user_id
  where products.id between $1 and $2 and listed
  order by products.id`;

/** Reads the public products for crawlers. */
@Injectable()
export class SitemapQueries {
  constructor(
    private readonly database: Database,
    private readonly catalog: ItemCache,
  ) {}

  /** Returns the numbers of the sitemaps with public products, in order. */
  async list(): Promise<ReplyOf<Services['catalog'], 'sitemaps.list'>> {
    const rows = await this.database.read<{ readonly number: number }>(nonEmptySitemaps);
    return { sitemaps: rows.map(({ number }) => number) };
  }

  /**
   * Returns the public products of a sitemap. Each creator belongs to the sitemap of the oldest
   * public product of the creator.
   */
  async get(sitemap: number): Promise<ReplyOf<Services['catalog'], 'sitemaps.get'>> {
    const end = sitemap * idsPerSitemap;
    const rows = await this.database.read<SitemapRow>(productsOfSitemap, [end - idsPerSitemap + 1, end]);
    const catalog = await catalogForRows(rows, this.catalog);
    return {
      creators: rows.filter(({ isFirstOfUser }) => isFirstOfUser).map(({ userName }) => userName),
      products: rows.map(({ userName, materialId, itemId, variantId, updatedAt }) => {
        // A foreign key guarantees that the variant and its item exist
        const { size, color } = catalog.variant(variantId)!;
        return {
          userName,
          materialId,
          itemName: catalog.item(itemId)!.name,
          variant: { size: size.name, color: color.name },
          updatedAt: updatedAt.toISOString(),
        };
      }),
    };
  }
}
