import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isTraced, type SpanOptions, SpanKind, traced } from '#observability';
import { overOwnLink } from './own-link.js';

/** A statement that takes longer is looked after, and again each time. */
const lookEveryMs = 2_000;
/** An answer that is on its way has arrived by then. */
const graceMs = 500;
const lookWithinMs = 2_000;

/** What pg says when its own limit is over; no server has said it. */
const noAnswer = 'Query read timeout';

const idleSessions = `select pid from pg_stat_activity where usename = current_user and state like 'idle%'`;

interface Look {
  readonly since: number;
  readonly idle: Promise<ReadonlySet<number>>;
}

/** The look that is under way in this process, for each database. */
const looks = new Map<string, Look>();

/** The sessions of this role that wait for a statement, asked over a link of its own. @throws when there is none */
async function askForIdle(config: pg.ClientConfig): Promise<ReadonlySet<number>> {
  const { rows } = await overOwnLink(config, lookWithinMs, (link) => link.query<{ pid: number }>(idleSessions));
  return new Set(rows.map(({ pid }) => pid));
}

/** One look for all that wait at the same time, as long as it began after their statements. */
function idleNow(config: pg.ClientConfig, since: number): Promise<ReadonlySet<number>> {
  const key = config.connectionString ?? '';
  const known = looks.get(key);
  if (known && known.since > since) return known.idle;
  const look = { since: performance.now(), idle: askForIdle(config) };
  looks.set(key, look);
  const over = (): void => {
    if (looks.get(key) === look) looks.delete(key);
  };
  look.idle.then(over, over);
  return look.idle;
}

/** What a statement does, to what, and its text; never what it is done with. */
function spanOf(asked: unknown): [name: string, facts: SpanOptions] {
  const text = typeof asked === 'string' ? asked : String((asked as { readonly text?: unknown } | undefined)?.text);
  const [verb = ''] = /[a-z]+/i.exec(text) ?? [];
  const [, target] = /\b(?:from|into|update)\s+(?:"?[a-z_]+"?\.)?"?([a-z_]+)/i.exec(text) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.replaceAll(/\s+/g, ' ').trim() };
  return [`${verb.toUpperCase()} ${target ?? ''}`.trim(), { kind: SpanKind.CLIENT, attributes }];
}

/**
 * A client that leaves a link on which nothing comes back any more: when the server says that its session waits for a
 * statement, while the statement waits for an answer; and when an answer did not come within the limit of the pool. The
 * driver only stops waiting then, and gives the client back to the pool, where the next statement would wait behind the
 * last one, and so on for ever.
 */
export class AttendedClient extends pg.Client {
  private readonly config: pg.ClientConfig;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.config = config;
    // Between the pool and TypeORM nobody listens for a moment: a session that is ended right then would end the process.
    // The next statement says it too
    this.on('error', () => undefined);
    const ask = this.query.bind(this) as (...asked: unknown[]) => unknown;
    this.query = ((...asked: unknown[]) => {
      const answer = isTraced() ? traced(...spanOf(asked[0]), () => ask(...asked)) : ask(...asked);
      if (answer instanceof Promise) this.attend(answer);
      return answer;
    }) as pg.Client['query'];
  }

  private attend(answer: Promise<unknown>): void {
    const statement = { since: performance.now(), isAnswered: false };
    const timer = setInterval(() => void this.look(statement).catch(() => undefined), lookEveryMs).unref();
    const answered = (error?: unknown): void => {
      statement.isAnswered = true;
      clearInterval(timer);
      if (error instanceof Error && error.message === noAnswer) void this.end();
    };
    answer.then(() => answered(), answered);
  }

  /** @throws when the server cannot be asked: the limits decide */
  private async look(statement: { readonly since: number; readonly isAnswered: boolean }): Promise<void> {
    const idle = await idleNow(this.config, statement.since);
    if (!idle.has((this as unknown as { readonly processID: number }).processID)) return;
    await sleep(graceMs, undefined, { ref: false });
    // After a process stood still, its timers come before what there is to read
    await turn();
    if (!statement.isAnswered) void this.end();
  }
}
