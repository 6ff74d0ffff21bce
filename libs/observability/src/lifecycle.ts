import type { Log } from './log.js';

const exitAfterMs = 25_000;

/**
 * Ends the process politely on SIGTERM, SIGINT or when the process that supervises it has gone: `close` drains, then
 * the exit code is 0. Nest's own shutdown hooks are not used because they close the database before the handlers end.
 */
export function closeOnSignal(log: Log, close: () => Promise<unknown>): void {
  let closing = false;
  const end = (reason: string): void => {
    if (closing) return;
    closing = true;
    log.info({ reason }, 'closing');
    const forced = setTimeout(() => {
      log.error(`did not close within ${exitAfterMs} ms`);
      process.exit(1);
    }, exitAfterMs);
    forced.unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'closing failed');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  process.once('disconnect', () => end('the supervisor has gone'));
}

/**
 * Runs the start of an app: a failure is one log line and exit code 1, never an unhandled rejection. Defects that
 * escape every handler later end the process as well: its state is unknown, and the supervisor starts a fresh one.
 */
export function start(log: Log, run: () => Promise<void>): void {
  const fail = (error: unknown, message: string): void => {
    log.fatal({ err: error }, message);
    process.exitCode = 1;
    // Not process.exit at once: let the log line out
    setTimeout(() => process.exit(1), 50);
  };
  process.on('uncaughtException', (error) => fail(error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => fail(error, 'unhandled rejection'));
  run().then(
    () => log.info('ready'),
    (error: unknown) => fail(error, error instanceof Error ? error.message : 'start failed'),
  );
}
