import type pg from 'pg';
import { overOwnLink } from './own-link.js';

/** As long as the pool waits for a connection: a server that is busy is when it counts. */
const cancelWithinMs = 5_000;

/**
 * Ends the statement of a session, which hears `query_canceled`, over a link of its own: those of the pool may all wait
 * for such statements. It may be late, and then ends what the session does next.
 */
async function cancel(config: pg.PoolConfig, pid: number): Promise<void> {
  await overOwnLink(config, cancelWithinMs, (link) => link.query('select pg_cancel_backend($1)', [pid]));
}

/**
 * Cancels what a session does, after `withinMs`. `statement_timeout` would have to be set before the statement and set back
 * behind it: two more for each.
 *
 * @returns `end` ends the limit, and says whether it was over: the cancellation may be on its way then, and nobody else
 *   may get that session
 */
export function cancelAfter(withinMs: number, client: pg.PoolClient, config: pg.PoolConfig): { end(): boolean } {
  if (withinMs === Infinity) return noLimit;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    const { processID: pid } = client as unknown as { readonly processID: number };
    // The limits of the session are behind this one
    cancel(config, pid).catch(() => undefined);
  }, withinMs);
  return {
    end: () => {
      clearTimeout(timer);
      return isLate;
    },
  };
}

const noLimit = { end: () => false };
