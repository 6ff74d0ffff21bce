import { Injectable } from '@nestjs/common';
import { Coalescer } from '#concurrency';
import { dataVersion, Database } from '#persistence';
import { runShared } from '#request-queue';
import { type VersionedProduct, versionedProducts } from '../product-rows.queries.js';
import { draftsOf } from '../visibility.queries.js';

/** Facts that decide whether a cached response may be sent to a viewer. */
interface Validation {
  /** Version of the materials, products and users that a product response depends on. */
  readonly version: string;
  /** Ids of the viewers who have products that others may not see. */
  readonly viewersWithDrafts: readonly number[];
}

/**
 * SQL expression of the version of the materials, products and users that a product response
 * depends on. Items and sales have no version: a change of them changes the `ProductContext`.
 */
export const productDataVersion = `${dataVersion('catalog')} || '.' || ${dataVersion('accounts')}`;

/** Statement of the products ($1) that everybody may see, with the hashes of their rows. */
const listedProducts = `select id, "rowVersion" from (${versionedProducts('p.id = any($1) and p.listed')}) product`;

/**
 * A statement that takes longer than `timeoutMs` is considered stuck, for example on a lost
 * connection. Each statement in flight occupies a connection of the pool, which has ten by default
 * and should have more than `maxConcurrent`.
 */
const coalescerOptions = { timeoutMs: 250, maxConcurrent: 4 } as const;

/**
 * Reads the data that cached responses are validated against. One statement serves all requests
 * that arrive in the same tick or while the previous statement is in flight.
 */
@Injectable()
export class CacheValidator {
  private readonly reads: Coalescer<readonly number[], Validation>;

  constructor(private readonly database: Database) {
    this.reads = new Coalescer((viewers) => runShared(() => this.read(viewers.flat())), coalescerOptions);
  }

  /**
   * Returns the data version, and which of the viewers have drafts, perhaps with others; both
   * include all commits before the call.
   */
  validate(viewerIds: readonly number[]): Promise<Validation> {
    return this.reads.request(viewerIds);
  }

  /** Returns the hashes of the rows of products that everybody may see, by product. */
  async rowVersions(productIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.database.read<VersionedProduct>(listedProducts, [[...new Set(productIds)]]);
    return new Map(rows.map(({ id, rowVersion }) => [id, rowVersion]));
  }

  private async read(viewerIds: readonly number[]): Promise<Validation> {
    const [row] = await this.database.read<Validation>(
      `select ${productDataVersion} as version, array(
         select viewer from unnest($1::bigint[]) as viewer where exists (select from products where ${draftsOf('viewer')})
       )::float8[] as "viewersWithDrafts"`,
      [[...new Set(viewerIds)]],
    );
    return row!;
  }
}
