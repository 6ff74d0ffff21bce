import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { GracefulShutdown } from '../edge/connections/graceful-shutdown.js';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { eventually } from '#testing';
import { GatewayStack, send } from '../testing/gateway-stack.js';
import { RawClient } from '../testing/raw-client.js';

interface LogRow {
  readonly position: number;
  readonly userId: number;
  readonly type: string;
  readonly text: string;
}

/** Fake of the event log. */
const log: LogRow[] = [];
let deleted = 0;
/** Number of received messages `events.newest`. */
let newest = 0;
/** Number of received messages `events.follow`. */
let follows = 0;
const idOf = (position: number): string => `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
const last = (): number => log.at(-1)?.position ?? 0;

function append(userId: number, { type = 'sale.recorded', text = '' } = {}): void {
  log.push({ position: last() + 1, userId, type, text });
}

function follow({ viewerId, after, types, limit }: Record<string, any>): object {
  follows += 1;
  if (after === 'latest') return { events: [], hasNext: false, cursor: String(last()) };
  if (Number(after) < deleted) throw new DomainError(problems['event.cursor-expired'], 'expired');
  const found = log.filter(
    ({ position, userId, type }) => userId === viewerId && position > Number(after) && (types?.includes(type) ?? true),
  );
  const events = found.slice(0, limit).map(({ position, type, text }) => ({
    cursor: String(position),
    event: {
      id: idOf(position),
      type,
      timestamp: '2026-11-20T09:00:00.000Z',
      userId: viewerId,
      sequence: 1,
      data: { text },
    },
  }));
  return { events, hasNext: found.length > limit, cursor: events.at(-1)?.cursor ?? String(last()) };
}

let stack: GatewayStack;
let url: string;
let path: string;
const revoked = new Set<string>();
/** For all gateways: passport has one token strategy per process, that of the last gateway. */
const uncached = { TOKEN_CACHE_MS: '0' };

beforeAll(async () => {
  stack = await GatewayStack.start({
    'events.follow': follow,
    'events.newest': ({ users }: { users: { userId: number; after: string }[] }) => {
      newest += 1;
      const hasNewer = ({ userId, after }: { userId: number; after: string }) =>
        log.some((row) => row.userId === userId && row.position > Number(after));
      return { userIds: users.filter(hasNewer).map(({ userId }) => userId), cursor: String(last()) };
    },
    'items.list': () => ({ items: [] }),
  });
  const { 'tokens.introspect': introspect } = stack.handlers;
  stack.handlers['tokens.introspect'] = ({ token }: { token: string }) =>
    revoked.has(token) ? { active: false } : introspect!({ token } as never);
  url = await stack.gateway(uncached);
  path = `${url}/api/v1/events/stream`;
});
beforeEach(() => {
  log.length = 0;
  deleted = 0;
  revoked.clear();
});
const streams: Stream[] = [];
afterEach(async () => {
  for (const stream of streams) stream.close();
  streams.length = 0;
  await sleep(100);
});
afterAll(() => stack.close());

/** Client of a stream. */
class Stream {
  text = '';
  isClosed = false;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  static async open(
    query = '',
    { token = 'writer', at = path, lastEventId }: { token?: string; at?: string; lastEventId?: string } = {},
  ): Promise<Stream> {
    const abort = new AbortController();
    const response = await fetch(`${at}${query}`, {
      signal: abort.signal,
      headers: { authorization: `Bearer ${token}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    });
    const stream = new Stream(response, abort);
    streams.push(stream);
    void stream.read();
    await eventually('the first id', () => stream.ids.length > 0);
    return stream;
  }

  close(): void {
    this.abort.abort();
  }

  get ids(): string[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id!);
  }

  /** Ids of the events that have data. */
  get events(): string[] {
    return [...this.text.matchAll(/^id: \d+\ndata: \{"id":"[\d-]{24}(\d+)"/gm)].map(([, id]) => String(Number(id)));
  }

  waitFor(...events: string[]): Promise<unknown> {
    return eventually(`events ${events.join()}`, () => this.events.join() === events.join());
  }

  waitForEnd(withinMs = 3_000): Promise<unknown> {
    return eventually('the end of the stream', () => this.isClosed, withinMs);
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body!) this.text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // Aborted by the test
    }
    this.isClosed = true;
  }
}

describe('a stream', () => {
  it('starts at the end of the log, and sends the new events of the user as they are in the log', async () => {
    append(1);
    const stream = await Stream.open();
    append(2);
    append(1, { text: 'x\ny' });
    await stream.waitFor('3');
    expect(stream.text).toMatch(/^retry: [12]\d{3}\nid: 1\n\n/);
    expect(stream.text).toContain(
      'id: 3\ndata: {"id":"00000000-0000-4000-8000-000000000003","type":"sale.recorded","timestamp":"2026-11-20T09:00:00.000Z","userId":1,"sequence":1,"data":{"text":"x\\ny"}}\n\n',
    );
  });

  it('has headers against caches and buffers', async () => {
    const { headers } = (await Stream.open()).response;
    const names = ['content-type', 'cache-control', 'x-accel-buffering', 'connection', 'content-encoding'];
    expect(names.map((name) => headers.get(name))).toEqual([
      'text/event-stream; charset=utf-8',
      'no-store',
      'no',
      'close',
      null,
    ]);
    expect(headers.get('x-request-id')).toMatch(/^[\w.:-]+$/);
  });

  it('continues after Last-Event-ID without a gap and without repetition', async () => {
    for (let at = 0; at < 120; at += 1) append(1);
    const first = await Stream.open('?after=0');
    await eventually('some events', () => first.events.length >= 120);
    first.close();
    append(1);
    append(1);
    const second = await Stream.open('?after=0', { lastEventId: '119' });
    append(1);
    await second.waitFor('120', '121', '122', '123');
    expect(first.events).toEqual(Array.from({ length: 120 }, (_, at) => String(at + 1)));
  });

  it('sends only the types of the query', async () => {
    const stream = await Stream.open('?types=choice.updated,favorite.placed');
    append(1);
    append(1, { type: 'favorite.placed' });
    await stream.waitFor('2');
  });

  it('is asked for with all others in one message, and reads the log only when there are events', async () => {
    await Promise.all(['writer', 'other-writer', 'reader'].map((token) => Stream.open('', { token })));
    const before = [newest, follows] as const;
    await sleep(2_500);
    expect(newest - before[0]).toBeLessThanOrEqual(3);
    expect(newest - before[0]).toBeGreaterThanOrEqual(1);
    expect(follows - before[1]).toBe(0);
  });

  it('holds no permit', async () => {
    const limited = await stack.gateway({ ...uncached, MAX_CONCURRENT_REQUESTS: '3' });
    const at = `${limited}/api/v1/events/stream`;
    for (const token of ['writer', 'writer', 'writer', 'other-writer']) await Stream.open('', { token, at });
    expect((await send('GET', `${limited}/api/v1/items`, { token: 'writer' })).status).toBe(200);
  });

  it('survives the timeouts of other responses', async () => {
    const fast = await stack.gateway(uncached, { responseMs: 300, exchangeMs: 600 });
    const stream = await Stream.open('', { at: `${fast}/api/v1/events/stream` });
    await sleep(1_500);
    append(1);
    await stream.waitFor('1');
  });

  it('continues after failures of the service', async () => {
    const stream = await Stream.open();
    const { 'events.newest': newestHandler } = stack.handlers;
    stack.handlers['events.newest'] = () => {
      throw new Error('no database');
    };
    append(1);
    await sleep(1_500);
    stack.handlers['events.newest'] = newestHandler!;
    await stream.waitFor('1');
  });

  it('ends when its cursor expires', async () => {
    const stream = await Stream.open('?after=0');
    deleted = 5;
    append(1);
    await stream.waitForEnd();
  });
});

describe('a rejected stream', () => {
  const get = (query: string, headers = {}) => send('GET', `${path}${query}`, { token: 'writer', headers });

  it('has an invalid cursor or type', async () => {
    const responses = await Promise.all([
      get('?after=x'),
      get('?types=nothing'),
      get('', { 'last-event-id': 'x' }),
      get('', { 'last-event-id': '-1' }),
    ]);
    expect(responses.map(({ status, body }) => [status, body.errors[0].path])).toEqual([
      [400, 'query.after'],
      [400, 'query.types'],
      [400, 'headers.last-event-id'],
      [400, 'headers.last-event-id'],
    ]);
  });

  it('has an expired cursor', async () => {
    deleted = 5;
    const { status, body } = await get('?after=4');
    expect([status, body.code]).toEqual([410, 'event.cursor-expired']);
  });

  it('has no token', async () => {
    expect((await send('GET', path)).status).toBe(401);
  });

  it('is HEAD', async () => {
    expect((await send('HEAD', path, { token: 'writer' })).status).toBe(405);
  });

  it('is the sixth of a user; another user and a closed stream do not count', async () => {
    const opened = [];
    for (let at = 0; at < 5; at += 1) opened.push(await Stream.open());
    const { status, body, headers } = await get('');
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'event-stream.too-many', '5']);
    await Stream.open('', { token: 'reader' });
    opened[0]!.close();
    await eventually('another stream', async () => {
      const raw = await RawClient.to(url);
      raw.get('/api/v1/events/stream');
      await raw.waitForResponses(1);
      raw.socket.destroy();
      return raw.statuses[0] === 200;
    });
  });
});

it('ends within seconds after the revocation of its token, and sends nothing more', async () => {
  const stream = await Stream.open();
  const other = await Stream.open('', { token: 'reader' });
  revoked.add('writer');
  append(1);
  append(3);
  await stream.waitForEnd();
  await other.waitFor('2');
  expect(stream.events).toEqual([]);
});

it('waits for a client that reads slowly, without buffering, and then continues', async () => {
  const text = 'x'.repeat(20_000);
  for (let at = 0; at < 1_000; at += 1) append(1, { text });
  const before = follows;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /api/v1/events/stream?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\n\r\n');
  await sleep(3_000);
  // The kernel buffers some megabytes of the 20
  const read = follows - before;
  expect(read).toBeLessThan(18);
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  socket.resume();
  // Searches the end only, because each search of 20 MB takes milliseconds
  const lastEvent = `data: {"id":"${idOf(1_000)}"`;
  await eventually('all events', () => received.slice(-2 * text.length).includes(lastEvent));
  expect([...received.matchAll(/data: \{"id":"[\d-]{24}(\d+)"/g)].map(([, id]) => Number(id))).toEqual(
    Array.from({ length: 1_000 }, (_, at) => at + 1),
  );
  socket.destroy();
});

it('moves to another gateway at a shutdown without a gap', async () => {
  const closing = await stack.gateway(uncached);
  const shutdown = stack.apps.at(-1)!.get(GracefulShutdown);
  const stream = await Stream.open('', { at: `${closing}/api/v1/events/stream` });
  append(1);
  await stream.waitFor('1');
  const ended = shutdown.shutDown(2_000);
  await stream.waitForEnd(500);
  append(1);
  // Still accepted, and sent elsewhere
  const again = await Stream.open('', { at: `${closing}/api/v1/events/stream`, lastEventId: '1' });
  await again.waitForEnd(500);
  expect(again.text).toMatch(/^retry: \d+\nid: 1\n\n$/);
  const next = await Stream.open('', { at: path, lastEventId: again.ids.at(-1)! });
  append(1);
  await next.waitFor('2', '3');
  await ended;
});
