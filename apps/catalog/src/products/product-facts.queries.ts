import { Injectable } from '@nestjs/common';
import { type PayloadOf, problems, type ProductVariant, type ReplyOf, type Services } from '#contracts';
import { Database } from '#persistence';
import { type CatalogItem } from '../items/catalog.snapshot.js';
import { type CatalogSnapshot, ItemCache } from '../items/item.cache.js';
import { catalogForRows } from './catalog-for-rows.snapshot.js';
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

export interface SoldProduct {
  readonly title: string;
  readonly ownerId: number;
  readonly ownerName: string;
  readonly item: CatalogItem;
  /** Representative variant. */
  readonly variantId: number;
}

/** Reads facts about products for other services and for recorded purchases. */
@Injectable()
export class ProductFactsQueries {
  constructor(
    private readonly database: Database,
    private readonly catalog: ItemCache,
  ) {}

  /**
   * Returns the facts of a sold product, regardless of its visibility.
   *
   * @throws DomainError product.not-found, also for a product of a deleted user
   */
  async soldProduct(productId: number): Promise<SoldProduct> {
    const rows = await this.rows([productId]);
    const catalog = await catalogForRows(rows, this.catalog);
    const [row] = rows;
    if (!row) throw productNotFound(productId);
    const { materialTitle, ownerId, ownerName, variantId } = row;
    // A foreign key guarantees that the item exists
    const item = catalog.item(row.itemId)!;
    return { title: productTitle(materialTitle, item), ownerId, ownerName, item, variantId };
  }

  /**
   * Resolves the variant of each entry; an entry without a variant gets the representative variant
   * of its product.
   *
   * @throws DomainError with the path `entries.<index>.<key>` of each error: product.not-found,
   *   item-variant.not-of-item, item-variant.disabled
   */
  async choose({
    viewerId,
    entries,
  }: PayloadOf<Catalog, 'products.choose'>): Promise<ReplyOf<Catalog, 'products.choose'>> {
    const ids = entries.map(({ productId }) => productId);
    const rows = await this.rows(ids, viewerId);
    const catalog = await catalogForRows(rows, this.catalog);
    const found = new Map(rows.map((row) => [row.id, row]));
    const errors = new ValidationErrors();
    const chosen = entries.map((entry, index) => {
      const addError: AddError = (code, key, message) => errors.add(problems[code], `entries.${index}.${key}`, message);
      return resolveVariant(entry, found.get(entry.productId), catalog, addError);
    });
    errors.throwIfAny();
    return { entries: chosen };
  }

  /**
   * Returns the rows of the products that the viewer may see; without a viewer, of all that exist.
   */
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

type AddError = (
  code: 'product.not-found' | 'item-variant.not-of-item' | 'item-variant.disabled',
  key: string,
  message: string,
) => void;

/**
 * Returns the entry with its variant. For an invalid entry the result is unused, because the
 * request is rejected.
 */
function resolveVariant(
  entry: Entry,
  row: FactsRow | undefined,
  catalog: CatalogSnapshot,
  addError: AddError,
): ProductVariant {
  const { productId, itemVariantId = row?.variantId ?? 0 } = entry;
  if (!row) addError('product.not-found', 'productId', `product ${productId} does not exist`);
  else if (entry.itemVariantId !== undefined) {
    const variant = catalog.variant(itemVariantId);
    if (variant?.itemId !== row.itemId) {
      addError('item-variant.not-of-item', 'itemVariantId', `product ${productId} has no variant ${itemVariantId}`);
    } else if (!variant.enabled) {
      addError('item-variant.disabled', 'itemVariantId', `variant ${itemVariantId} cannot be ordered`);
    }
  }
  return { productId, itemVariantId };
}
