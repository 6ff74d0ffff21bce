import { Injectable } from '@nestjs/common';
import { Coalescer } from '#concurrency';
import { changeMark, Database } from '#persistence';
import { runShared } from '#request-queue';
import { draftsOf } from './visibility.queries.js';

/** What decides whether an answer that is kept may be given to somebody. */
interface Fresh {
  /** Of all that products are shown with: equal marks, equal answers. */
  readonly mark: string;
  /** The viewer sees products that others do not. */
  readonly hasDrafts: boolean;
}

interface Reading {
  readonly mark: string;
  readonly drafters: readonly number[];
}

/** The mark of everything in the database that products are shown with, as a piece of a statement. */
export const shownMark = `${changeMark('catalog')} || '.' || ${changeMark('accounts')}`;

/**
 * A reading that takes longer is stuck, as on a connection that was lost unnoticed. Each reading occupies a connection of the
 * pool, which has ten unless configured otherwise, and should have more than four.
 */
const readingLimits = { timeoutMs: 250, maxConcurrent: 4 } as const;

/** Asks what is committed now, in one statement for all requests of a moment. */
@Injectable()
export class Freshness {
  private readonly readings: Coalescer<number, Reading>;

  constructor(private readonly database: Database) {
    this.readings = new Coalescer((viewers) => runShared(() => this.read(viewers)), readingLimits);
  }

  /** Sees whatever was committed before the question. */
  async ask(viewerId: number): Promise<Fresh> {
    const { mark, drafters } = await this.readings.request(viewerId);
    return { mark, hasDrafts: drafters.includes(viewerId) };
  }

  private async read(viewers: readonly number[]): Promise<Reading> {
    const [reading] = await this.database.read<Reading>(
      `select ${shownMark} as mark, array(
         select viewer from unnest($1::bigint[]) as viewer where exists (select from products where ${draftsOf('viewer')})
       )::float8[] as drafters`,
      [[...new Set(viewers)]],
    );
    return reading!;
  }
}
