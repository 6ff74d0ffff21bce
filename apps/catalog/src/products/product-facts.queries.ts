import { Injectable } from '@nestjs/common';
import { type PayloadOf, problems, type ProductVariant, type ReplyOf, type Services } from '#contracts';
import { Database } from '#persistence';
import { type CatalogSnapshot, ItemCache } from '../items/item.cache.js';
import { catalogOf } from './catalog-of-rows.snapshot.js';
import { productTitle } from './product.rules.js';
import { productNotFound } from './product.errors.js';
import { ValidationErrors } from './validation-errors.rules.js';
import { visibleTo } from './visibility.queries.js';

type Catalog = Services['catalog'];
type Entry = PayloadOf<Catalog, 'products.choose'>['entries'][number];

interface FactsRow {
  readonly id: number;
  readonly itemId: number;
  readonly variantId: number;
  readonly materialTitle: string;
  readonly ownerId: number;
  readonly ownerName: string;
}

/** What others need to know of products: another service, and who sells them. */
@Injectable()
export class ProductFactsQueries {
  constructor(
    private readonly database: Database,
    private readonly catalog: ItemCache,
  ) {}

  /**
   * A product that is sold, whoever may see it.
   *
   * @throws DomainError product.not-found
   */
  async sold(productId: number): Promise<{ title: string; ownerId: number; ownerName: string }> {
    const rows = await this.rows([productId]);
    const catalog = await catalogOf(rows, this.catalog);
    const [row] = rows;
    if (!row) throw productNotFound(productId);
    const { materialTitle, ownerId, ownerName } = row;
    // A foreign key says that it exists
    return { title: productTitle(materialTitle, catalog.item(row.itemId)!), ownerId, ownerName };
  }

  /**
   * Settles which variants are meant: the representative one where none is named.
   *
   * @throws DomainError naming `entries.<index>.<key>` of everything that is wrong: product.not-found,
   *   item-variant.not-of-item, item-variant.disabled
   */
  async choose({
    viewerId,
    entries,
  }: PayloadOf<Catalog, 'products.choose'>): Promise<ReplyOf<Catalog, 'products.choose'>> {
    const ids = entries.map(({ productId }) => productId);
    const rows = await this.rows(ids, viewerId);
    const catalog = await catalogOf(rows, this.catalog);
    const found = new Map(rows.map((row) => [row.id, row]));
    const errors = new ValidationErrors();
    const chosen = entries.map((entry, index) => {
      const refuse: Refuse = (code, key, message) => errors.add(problems[code], `entries.${index}.${key}`, message);
      return choice(entry, found.get(entry.productId), catalog, refuse);
    });
    errors.throwIfAny();
    return { entries: chosen };
  }

  /** Without a viewer: whoever may see them. */
  private rows(ids: readonly number[], viewerId?: number): Promise<FactsRow[]> {
    const visible = viewerId === undefined ? '' : `and ${visibleTo(2)}`;
    return this.database.read<FactsRow>(
      `select p.id, p.item_id as "itemId", p.exemplary_variant_id as "variantId", m.title as "materialTitle",
         u.id as "ownerId", u.name as "ownerName"
       from products p join materials m on m.id = p.material_id join accounts.users u on u.id = p.user_id
       where p.id = any($1) ${visible}`,
      viewerId === undefined ? [ids] : [ids, viewerId],
    );
  }
}

type Refuse = (
  code: 'product.not-found' | 'item-variant.not-of-item' | 'item-variant.disabled',
  key: string,
  message: string,
) => void;

/** What is refused is answered as it was sent, and never seen. */
function choice(entry: Entry, row: FactsRow | undefined, catalog: CatalogSnapshot, refuse: Refuse): ProductVariant {
  const { productId, itemVariantId = row?.variantId ?? 0 } = entry;
  if (!row) refuse('product.not-found', 'productId', `there is no product ${productId}`);
  else if (entry.itemVariantId !== undefined) {
    const variant = catalog.variant(itemVariantId);
    if (variant?.itemId !== row.itemId) {
      refuse('item-variant.not-of-item', 'itemVariantId', `product ${productId} has no variant ${itemVariantId}`);
    } else if (!variant.enabled) {
      refuse('item-variant.disabled', 'itemVariantId', `variant ${itemVariantId} cannot be ordered`);
    }
  }
  return { productId, itemVariantId };
}
