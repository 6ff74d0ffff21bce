import { Injectable } from '@nestjs/common';
import { Coalescer } from '#concurrency';
import { changeMark, Database } from '#persistence';
import { runShared } from '#request-queue';
import { draftsOf } from './visibility.queries.js';

/** Facts that decide whether a cached response may be sent to a viewer. */
interface Validation {
  /** Version of all data that a product response depends on. */
  readonly version: string;
  /** The viewer sees products that others do not. */
  readonly hasDrafts: boolean;
}

interface ValidationRow {
  readonly version: string;
  /** Those of the viewers who have drafts. */
  readonly drafters: readonly number[];
}

/** Version of all data that a product response depends on, as a piece of a statement. */
export const productDataVersion = `${changeMark('catalog')} || '.' || ${changeMark('accounts')}`;

/**
 * A statement that takes longer is stuck, as on a connection that was lost unnoticed. Each one in flight occupies a connection of
 * the pool, which has ten unless configured otherwise, and should have more than four.
 */
const coalescing = { timeoutMs: 250, maxConcurrent: 4 } as const;

/** Reads the version of the committed data, in one statement for all requests of a tick. */
@Injectable()
export class CacheValidator {
  private readonly reads: Coalescer<number, ValidationRow>;

  constructor(private readonly database: Database) {
    this.reads = new Coalescer((viewers) => runShared(() => this.read(viewers)), coalescing);
  }

  /** Includes all that was committed before the call. */
  async validate(viewerId: number): Promise<Validation> {
    const { version, drafters } = await this.reads.request(viewerId);
    return { version, hasDrafts: drafters.includes(viewerId) };
  }

  private async read(viewers: readonly number[]): Promise<ValidationRow> {
    const [row] = await this.database.read<ValidationRow>(
      `select ${productDataVersion} as version, array(
         select viewer from unnest($1::bigint[]) as viewer where exists (select from products where ${draftsOf('viewer')})
       )::float8[] as drafters`,
      [[...new Set(viewers)]],
    );
    return row!;
  }
}
