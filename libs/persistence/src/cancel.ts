import type pg from 'pg';
import { withSeparateConnection } from './separate-connection.js';

/** As long as the pool waits for a connection: cancellation matters most on a busy server. */
const cancelTimeoutMs = 5_000;

/**
 * Cancels the running statement of a session, which fails with `query_canceled`. Uses a separate
 * connection, because slow statements may occupy all connections of the pool. A late cancellation
 * hits the next statement of the session.
 */
async function cancel(config: pg.PoolConfig, pid: number): Promise<void> {
  await withSeparateConnection(config, cancelTimeoutMs, (connection) =>
    connection.query('select pg_cancel_backend($1)', [pid]),
  );
}

/**
 * Cancels the statement of a session after a timeout. `statement_timeout` would have to be set
 * before the statement and reset after it: two more statements each time.
 *
 * @returns `stop` stops the timer and returns true when the timeout has expired. The cancellation
 *   may still be pending then, so the session must not be reused
 */
export function cancelAfter(timeoutMs: number, client: pg.PoolClient, config: pg.PoolConfig): { stop(): boolean } {
  if (timeoutMs === Infinity) return noTimeout;
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    const { processID: pid } = client as unknown as { readonly processID: number };
    // If the cancellation fails, the time limits of the session apply
    cancel(config, pid).catch(() => undefined);
  }, timeoutMs);
  return {
    stop: () => {
      clearTimeout(timer);
      return isTimedOut;
    },
  };
}

const noTimeout = { stop: () => false };
