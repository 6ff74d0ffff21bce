import { InternalServer } from './internal-server.js';
import type { Log } from './log.js';
import { shutdownSignal, beginShutdown } from './shutdown-signal.js';
import { processMetrics } from './process-metrics.js';
import { readiness } from './readiness.js';
import { type TraceSettings } from './trace-export.js';
import { startTracing } from './tracing.js';

/** Supervisors usually wait 30 s; docs/limits.md states an exit within 24 s. */
const exitAfterMs = 24_000;

type Close = () => Promise<unknown>;

/**
 * Shuts the process down gracefully on SIGTERM, SIGINT or the exit of its supervisor: `close`
 * drains, then the exit code is 0, or 1 if `close` fails or takes longer than 24 s. Further signals
 * are ignored, so that they cannot cut off open requests; the time is limited anyway. The shutdown
 * hooks of Nest are not used, because they close the database before the handlers end.
 */
export function closeOnSignal(log: Log, close: Close): void {
  const end = (reason: string): void => {
    if (shutdownSignal.aborted) return;
    const since = performance.now();
    log.info({ reason }, 'Shutdown started');
    const forced = setTimeout(() => {
      log.error(`Shutdown did not finish within ${exitAfterMs} ms, forcing exit`);
      exit(1);
    }, exitAfterMs);
    forced.unref();
    beginShutdown();
    close().then(
      () => {
        log.info({ ms: Math.round(performance.now() - since) }, 'Shutdown finished');
        exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'Shutdown failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  process.on('disconnect', () => end('supervisor exited'));
}

/** Settings of metrics, health checks and tracing. */
interface InternalSettings extends TraceSettings {
  /** Port of the internal server; 0: none. */
  readonly INTERNAL_PORT: number;
  /** Default: all addresses. */
  readonly INTERNAL_HOST?: string | undefined;
}

/** Name of the app, with the settings of its internal server and tracing. */
interface Internals {
  readonly app: string;
  readonly settings: InternalSettings;
}

/**
 * Starts an app. A failed start is one log line and exit code 1, never an unhandled rejection.
 * Errors that escape every handler later end the process too: its state is undefined, and the
 * supervisor starts a new one. The internal server opens first and closes last, so that a slow
 * start or shutdown is not taken for a dead process.
 *
 * @param run starts the app and passes the function that closes it to `closeWith`, as soon as there
 *   is something to close. On a signal before that, the process exits without closing anything
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
    readiness.markStarted();
  };
  startApp().then(
    () => shutdownSignal.aborted || log.info('ready'),
    (error: unknown) => {
      // An interrupted start may fail with any error
      if (!shutdownSignal.aborted) fail(error, error instanceof Error ? error.message : 'Start failed');
    },
  );
}

/** Delays the exit, because `pretty` log lines are still being written. */
function exit(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(code), 50);
}
