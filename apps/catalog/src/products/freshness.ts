import { Injectable } from '@nestjs/common';
import { changeMark, Database } from '#persistence';
import { NextReading } from '../next-reading.js';
import { draftsOf } from './visibility.js';

/** What decides whether an answer that is kept may be given to somebody. */
export interface Fresh {
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

/** Asks what is committed now, in one statement for all requests of a moment. */
@Injectable()
export class Freshness {
  private readonly readings: NextReading<number, Reading>;

  constructor(private readonly database: Database) {
    this.readings = new NextReading((viewers) => this.read(viewers));
  }

  /** Sees whatever was committed before the question. */
  async ask(viewerId: number): Promise<Fresh> {
    const { mark, drafters } = await this.readings.ask(viewerId);
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
