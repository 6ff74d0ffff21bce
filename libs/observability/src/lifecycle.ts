import { InternalServer } from './internal-server.js';
import type { Log } from './log.js';
import { processEnding, tellEnding } from './process-ending.js';
import { processMetrics } from './process-metrics.js';
import { readiness } from './readiness.js';
import { type TraceSettings } from './trace-export.js';
import { startTracing } from './tracing.js';

/** Supervisors usually give 30 s; whoever ends this process is told that it takes 25 at most. */
const exitAfterMs = 24_000;

type Close = () => Promise<unknown>;

/**
 * Ends the process politely on SIGTERM, SIGINT or when the process that supervises it has gone: `close` drains, then
 * the exit code is 0. Asked again, it goes on as it was: impatience must not cost an answer, and the time is limited.
 * Nest's own shutdown hooks are not used because they close the database before the handlers end.
 */
export function closeOnSignal(log: Log, close: Close): void {
  const end = (reason: string): void => {
    if (processEnding.aborted) return;
    const since = performance.now();
    log.info({ reason }, 'closing');
    const forced = setTimeout(() => {
      log.error(`did not close within ${exitAfterMs} ms`);
      exit(1);
    }, exitAfterMs);
    forced.unref();
    tellEnding();
    close().then(
      () => {
        log.info({ ms: Math.round(performance.now() - since) }, 'closed');
        exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'closing failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  process.on('disconnect', () => end('the supervisor has gone'));
}

/** How those who run a process see into it. */
interface InternalSettings extends TraceSettings {
  /** Where it is asked how it is; 0: nowhere. */
  readonly INTERNAL_PORT: number;
  /** All addresses when absent. */
  readonly INTERNAL_HOST?: string | undefined;
}

/** Who runs here, and how it is seen. */
interface Internals {
  readonly app: string;
  readonly settings: InternalSettings;
}

/**
 * Runs the start of an app: a failure is one log line and exit code 1, never an unhandled rejection. Defects that
 * escape every handler later end the process as well: its state is unknown, and the supervisor starts a fresh one.
 * The internal server opens before all and closes after all, so that nobody takes a slow start or end for a dead process.
 *
 * @param run says with `closeWith` what there is to close, as soon as there is; asked to end before, the process just ends
 */
export function start(log: Log, internals: Internals, run: (closeWith: (close: Close) => void) => Promise<void>): void {
  let close: Close = () => Promise.resolve();
  let server: InternalServer | undefined;
  let sendSpans: Close = () => Promise.resolve();
  closeOnSignal(log, () =>
    close()
      .finally(() => sendSpans())
      .finally(() => server?.close()),
  );
  log.info('starting');
  const fail = (error: unknown, message: string): void => {
    log.fatal({ err: error }, message);
    exit(1);
  };
  process.on('uncaughtException', (error) => fail(error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => fail(error, 'unhandled rejection'));
  const open = async ({ app, settings }: Internals): Promise<void> => {
    sendSpans = await startTracing(app, settings, (text) => log.warn(text));
    const { INTERNAL_PORT: port, INTERNAL_HOST: host } = settings;
    if (port === 0) return;
    processMetrics(app);
    server = new InternalServer({ port, host });
    await server.open();
  };
  const startApp = async (): Promise<void> => {
    await open(internals);
    await run((given) => (close = given));
    readiness.started();
  };
  startApp().then(
    () => processEnding.aborted || log.info('ready'),
    (error: unknown) => {
      // A start that was interrupted fails in one way or another
      if (!processEnding.aborted) fail(error, error instanceof Error ? error.message : 'start failed');
    },
  );
}

/** Not at once: coloured lines are still on their way. */
function exit(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(code), 50);
}
