import { readFileSync } from 'node:fs';
import { contentHash } from '../../content-hash.rules.js';
import { type CatalogSettings } from '../../catalog.settings.js';
import { type ProductContext } from '../context.snapshot.js';
import { type VersionedProduct } from '../product-rows.queries.js';

type Snapshots = Pick<ProductContext, 'catalog' | 'sales'>;

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
    // The size of the cache changes no reply
    const facts = Object.assign({}, settings, { cacheBytes: undefined, icu, tz });
    this.origin = contentHash(facts, readFileSync(process.argv[1]!));
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
  ofProducts(audience: 'public' | 'any', version: string, snapshots: Snapshots): string {
    return `${audience} ${this.state(version, snapshots)}`;
  }

  /**
   * Returns the validity of a reply with one product, for every viewer. With another data version
   * it is valid if the row of the product is unchanged.
   */
  ofProduct({ id, rowVersion }: VersionedProduct, version: string, snapshots: Snapshots): string {
    return `product ${id} ${rowVersion} ${this.state(version, snapshots)}`;
  }

  /** Returns the product of a validity from `ofProduct`, with its data version. */
  static productOf(validity: string): (VersionedProduct & { readonly version: string }) | undefined {
    const [, id, rowVersion, version] = /^product (\d{1,15}) (\S+) (\S+) /.exec(validity) ?? [];
    return id === undefined ? undefined : { id: Number(id), rowVersion: rowVersion!, version: version! };
  }

  /** Returns the validity of a reply with materials, which only this viewer may get. */
  ofMaterials(viewerId: number | null, version: string): string {
    return `viewer ${viewerId} ${version} ${this.origin}`;
  }

  private state(version: string, { catalog, sales }: Snapshots): string {
    return `${version} ${this.origin} ${catalog.id} ${sales.id}`;
  }
}
