import type pg from 'pg';
import type { BlobStore } from '#storage';
import type { QueuedEvents } from '#events';

/** Stores that checks read. The database session is read-only. */
export interface Stack {
  readonly database: pg.Client;
  readonly queued: QueuedEvents;
  readonly blobs: BlobStore;
  /** Also compares the hashes of textures. */
  readonly hash: boolean;
}

/** An inconsistency. It is not reported while a pending event may correct it. */
export interface Finding {
  /** Description. The same finding has the same description in each pass. */
  readonly what: string;
  /** Objects of events that may correct the inconsistency. */
  readonly material?: number | null;
  readonly product?: number | null;
  readonly user?: number | null;
  /** `user/product` */
  readonly favorite?: string | null;
}

/** Number of checked objects, and findings. A check stops after `maxFindings`. */
export interface Outcome {
  readonly checked: number;
  readonly findings: readonly Finding[];
}

export interface Check {
  /** Sentence that is true if there are no findings. */
  readonly name: string;
  /** Findings are unused rows and blobs, which take space and have no effect, and not errors. */
  readonly isNote?: true;
  readonly run: (stack: Stack) => Promise<Outcome>;
}

/** Number of findings after which a check stops, because findings are in memory. */
export const maxFindings = 10_000;

/**
 * Creates a check of two statements: one counts the checked rows, one finds the inconsistent rows.
 *
 * @param checked from clause of the checked rows
 * @param wrong selects `what`, and `material`, `product`, `user` or `favorite` if a pending event
 *   may correct the finding
 */
export const sqlCheck = (name: string, checked: string, wrong: string, isNote?: true): Check => ({
  name,
  ...(isNote && { isNote }),
  run: async ({ database }) => {
    const { rows: findings } = await database.query<Finding>(
      `select * from (${wrong}) found order by what limit ${maxFindings}`,
    );
    const { rows } = await database.query<{ count: number }>(`select count(*) from ${checked}`);
    return { checked: rows[0]!.count, findings };
  },
});
