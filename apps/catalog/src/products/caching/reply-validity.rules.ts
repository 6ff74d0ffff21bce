import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CatalogSettings } from '../../catalog.settings.js';
import { type VersionedProduct } from '../product-rows.queries.js';
import { type ProductContext } from '../context.snapshot.js';

/**
 * Validity of replies, for callers that cache them: everything that a reply depends on, the data
 * version, items, running sales, settings and the program. It is equal in all replicas, so that
 * each validates the replies of the others.
 */
export class ReplyValidity {
  /** Hash of settings and program: other ones may send other fields. */
  private readonly origin: string;

  constructor(settings: CatalogSettings) {
    const { icu, tz } = process.versions;
    const hash = createHash('sha256').update(
      JSON.stringify(Object.assign({}, settings, { cacheBytes: undefined, icu, tz })),
    );
    this.origin = hash.update(readFileSync(process.argv[1]!)).digest('base64url').slice(0, 12);
  }

  /** Returns the validity of a reply that depends on the items only. */
  ofItems({ id }: ProductContext['catalog']): string {
    return `items ${this.origin} ${id}`;
  }

  /**
   * Returns the validity of a reply that contains products.
   *
   * @param audience who may get it: viewers without drafts, or every viewer
   */
  ofProducts(
    audience: 'public' | 'any',
    version: string,
    { catalog, sales }: Pick<ProductContext, 'catalog' | 'sales'>,
  ): string {
    return `${audience} ${version} ${this.origin} ${catalog.id} ${sales.id}`;
  }

  /**
   * Returns the validity of a reply with one product, for every viewer. With another data version
   * it is valid if the row of the product is unchanged.
   */
  ofProduct(
    { id, rowVersion }: VersionedProduct,
    version: string,
    { catalog, sales }: Pick<ProductContext, 'catalog' | 'sales'>,
  ): string {
    return `product ${id} ${rowVersion} ${version} ${this.origin} ${catalog.id} ${sales.id}`;
  }

  /** Returns the product of a validity from `ofProduct`, with its data version. */
  static productOf(validity: string): (VersionedProduct & { readonly version: string }) | undefined {
    const [kind, id, rowVersion = '', version = ''] = validity.split(' ', 4);
    return kind === 'product' ? { id: Number(id), rowVersion, version } : undefined;
  }

  /** Returns the validity of a reply with materials, which only this viewer may get. */
  ofMaterials(viewerId: number | null, version: string): string {
    return `viewer ${viewerId} ${version} ${this.origin}`;
  }
}
