import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CatalogSettings } from '../../catalog.settings.js';
import { type ProductContext } from '../context.snapshot.js';

/**
 * Validity of replies, for callers that cache them: everything that a reply depends on, the data
 * version, items, running sales, settings and the program. It is equal in all replicas, so that
 * each validates the replies of the others.
 */
export class ReplyValidity {
  /** Differs for another version of the service, whose replies may have other fields. */
  private readonly build: string;

  constructor(settings: CatalogSettings) {
    const program = readFileSync(process.argv[1]!);
    const hash = createHash('sha256').update(JSON.stringify(settings)).update(program);
    this.build = hash.digest('base64url').slice(0, 12);
  }

  /** Returns the validity of a reply that depends on the items only. */
  ofItems({ id }: ProductContext['catalog']): string {
    return `items ${this.build} ${id}`;
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
    return `${audience} ${version} ${this.build} ${catalog.id} ${sales.id}`;
  }

  /** Returns the validity of a reply with materials, which only this viewer may get. */
  ofMaterials(viewerId: number | null, version: string): string {
    return `viewer ${viewerId} ${version} ${this.build}`;
  }
}
