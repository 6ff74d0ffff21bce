import type pg from 'pg';
import type { BlobStore } from '#storage';
import type { QueuedEvents } from '#events';

/** What a check may look at. The database in sessions that cannot write. */
export interface Stack {
  readonly database: pg.Client;
  readonly queued: QueuedEvents;
  readonly blobs: BlobStore;
  /** Reads the textures and compares their hashes, too. */
  readonly hash: boolean;
}

/** Something that is not as it must be; while an event on its way may still put it right, it is not told. */
export interface Finding {
  /** Says which and why. The same finding has the same words. */
  readonly what: string;
  /** What the event would be about. */
  readonly material?: number | null;
  readonly product?: number | null;
  readonly user?: number | null;
  /** `user/product` */
  readonly favorite?: string | null;
}

/** How many things were looked at, and what was found. Findings beyond `findingsAtMost` are not looked for. */
export interface Outcome {
  readonly checked: number;
  readonly findings: readonly Finding[];
}

export interface Check {
  /** Fits into a table. */
  readonly name: string;
  /** What is found is worth knowing and no error. */
  readonly isNote?: true;
  readonly look: (stack: Stack) => Promise<Outcome>;
}

/** Held in memory of one check. */
export const findingsAtMost = 10_000;

/**
 * One statement that counts what is checked and one that finds what is wrong: each sees the database of one moment.
 *
 * @param wrong selects `what`, and `material`, `product`, `user`, `favorite` where an event may be on its way
 */
export const sqlCheck = (name: string, checked: string, wrong: string, isNote?: true): Check => ({
  name,
  ...(isNote && { isNote }),
  look: async ({ database }) => {
    const { rows: findings } = await database.query<Finding>(
      `select * from (${wrong}) found order by what limit ${findingsAtMost}`,
    );
    const { rows } = await database.query<{ count: number }>(`select count(*) from ${checked}`);
    return { checked: rows[0]!.count, findings };
  },
});
