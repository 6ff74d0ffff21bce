import { type Database } from './database.js';
import { overOwnLink } from './own-link.js';
import { poolOf } from './pool-metrics.js';

/** As long as a part of a process is waited for. */
const answerWithinMs = 2_000;

/** too_many_connections: who says so is there. */
const isFull = (error: unknown): boolean => (error as { readonly code?: unknown } | null)?.code === '53300';

/**
 * Whether the database answers. While all connections of the pool are in use it is asked over another link: a process that is
 * busy is as good as the others, who are so for the same reason, and would have its work beside theirs if it were taken out.
 *
 * @throws when it is not reachable
 */
export async function isReachable(database: Database): Promise<boolean> {
  const pool = poolOf(database.source);
  const isBusy = pool.idleCount === 0 && pool.totalCount >= pool.options.max;
  if (!isBusy) return (await database.query('select 1')).length === 1;
  try {
    const { rowCount } = await overOwnLink(pool.options, answerWithinMs, (link) => link.query('select 1'));
    return rowCount === 1;
  } catch (error) {
    if (isFull(error)) return true;
    throw error;
  }
}
