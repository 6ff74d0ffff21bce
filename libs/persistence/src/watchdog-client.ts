import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isTraced, type SpanOptions, SpanKind, traced } from '#observability';
import { withSeparateConnection } from './separate-connection.js';

/** Interval of the checks of a running statement. */
const checkIntervalMs = 2_000;
/** Time in which a result that the server has sent arrives. */
const resultGraceMs = 500;
const checkTimeoutMs = 2_000;

/** Message of pg when `query_timeout` has expired; the server has sent no error. */
const pgQueryTimeoutMessage = 'Query read timeout';

const selectIdleSessions = `select pid from pg_stat_activity where usename = current_user and state like 'idle%'`;

interface Check {
  readonly startedAt: number;
  readonly idleSessions: Promise<ReadonlySet<number>>;
}

/** The running check of this process for each database. */
const runningChecks = new Map<string, Check>();

/**
 * Returns the idle sessions of this role.
 *
 * @throws errors of pg when the server cannot be queried
 */
async function readIdleSessions(config: pg.ClientConfig): Promise<ReadonlySet<number>> {
  const { rows } = await withSeparateConnection(config, checkTimeoutMs, (connection) =>
    connection.query<{ pid: number }>(selectIdleSessions),
  );
  return new Set(rows.map(({ pid }) => pid));
}

/** Coalesces checks: a running check is shared if it started after the statement. */
function readIdleSessionsShared(config: pg.ClientConfig, statementStartedAt: number): Promise<ReadonlySet<number>> {
  const key = config.connectionString ?? '';
  const running = runningChecks.get(key);
  if (running && running.startedAt > statementStartedAt) return running.idleSessions;
  const check = { startedAt: performance.now(), idleSessions: readIdleSessions(config) };
  runningChecks.set(key, check);
  const removeCheck = (): void => {
    if (runningChecks.get(key) === check) runningChecks.delete(key);
  };
  check.idleSessions.then(removeCheck, removeCheck);
  return check.idleSessions;
}

/** A change of a table, which names a statement that starts with WITH. */
const change = /\b(?:insert\s+into|delete\s+from|update\s+[\w."]+(?:\s+(?:as\s+)?\w+)?\s+set)\s.*/is;

/**
 * Returns name and attributes of a statement's span: its text, never its parameters. The name is
 * that of the first change of a table, if there is one.
 */
function spanOf(query: unknown): [name: string, options: SpanOptions] {
  const text = typeof query === 'string' ? query : String((query as { readonly text?: unknown } | undefined)?.text);
  const [main = text] = (/^\s*with\b/i.test(text) && change.exec(text)) || [];
  const [verb = ''] = /[a-z]+/i.exec(main) ?? [];
  const [, target] = /\b(?:from|into|update)\s+(?:"?[a-z_]+"?\.)?"?([a-z_]+)/i.exec(main) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.replaceAll(/\s+/g, ' ').trim() };
  return [`${verb.toUpperCase()} ${target ?? ''}`.trim(), { kind: SpanKind.CLIENT, attributes }];
}

/**
 * PostgreSQL client that closes its connection when the result of a statement is lost: when the
 * server reports the session as idle although a statement has no result, and when `query_timeout`
 * expires. On a timeout, the driver only rejects the statement and returns the client to the pool,
 * where all later statements would wait behind the lost one.
 */
export class WatchdogClient extends pg.Client {
  private readonly config: pg.ClientConfig;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.config = config;
    // A client that passes from the pool to TypeORM has no error listener for a moment. Without
    // this listener, a session that the server ends at that moment would end the process. The next
    // statement fails as "not queryable"
    this.on('error', () => undefined);
    const send = this.query.bind(this) as (...query: unknown[]) => unknown;
    this.query = ((...query: unknown[]) => {
      const result = isTraced() ? traced(...spanOf(query[0]), () => send(...query)) : send(...query);
      if (result instanceof Promise) this.watch(result);
      return result;
    }) as pg.Client['query'];
  }

  private watch(result: Promise<unknown>): void {
    const statement = { startedAt: performance.now(), isSettled: false };
    const timer = setInterval(() => void this.check(statement).catch(() => undefined), checkIntervalMs).unref();
    const onSettled = (error?: unknown): void => {
      statement.isSettled = true;
      clearInterval(timer);
      if (error instanceof Error && error.message === pgQueryTimeoutMessage) void this.end();
    };
    result.then(() => onSettled(), onSettled);
  }

  /**
   * Closes the connection if the server reports its session as idle although the statement has no
   * result.
   *
   * @throws errors of pg when the server cannot be queried; `query_timeout` then ends the statement
   */
  private async check(statement: { readonly startedAt: number; readonly isSettled: boolean }): Promise<void> {
    const idleSessions = await readIdleSessionsShared(this.config, statement.startedAt);
    if (!idleSessions.has((this as unknown as { readonly processID: number }).processID)) return;
    await sleep(resultGraceMs, undefined, { ref: false });
    // After a process was stopped, its timers run before it reads from its sockets
    await nextTick();
    if (!statement.isSettled) void this.end();
  }
}
