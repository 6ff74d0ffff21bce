import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentCall, RawReply } from '#request-queue';
import { eventually } from '#testing';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { RawClient } from '../../testing/raw-client.js';
import { GracefulShutdown } from './graceful-shutdown.js';

/** Longer than a test takes. */
const unlimitedMs = 60_000;

let stack: GatewayStack;
/** Answers what waits for it. */
let release: () => void;
let released: Promise<void>;
/** The requests of which a service was asked: of one that takes long it is asked a second time. */
const asked = new Set<string>();

beforeAll(async () => {
  stack = await GatewayStack.start({
    'health.check': () => ({ status: 'ok' }),
    'products.list': () => {
      asked.add(currentCall()!.requestId);
      return RawReply.json(JSON.stringify({ products: 'x'.repeat(7 * 1024 * 1024) }));
    },
    'items.list': () => RawReply.json('{"items":[]}'),
    'products.get': async () => {
      asked.add(currentCall()!.requestId);
      await released;
      return RawReply.json('{"products":{}}');
    },
    'choices.create': () => RawReply.json('{"choice":{}}', { status: 201 }),
  });
});
beforeEach(() => {
  asked.clear();
  released = new Promise((resolve) => (release = resolve));
});
afterEach(() => release());
afterAll(() => stack.close());

const items = '/api/v1/items';
const slow = '/api/v1/products/1';
const body = JSON.stringify({ title: 'x' });
const head = [
  'POST /api/v1/choices HTTP/1.1',
  'Host: x',
  'Authorization: Bearer writer',
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
].join('\r\n');

async function gateway(): Promise<{ url: string; leave: GracefulShutdown['leave']; shutdown: GracefulShutdown }> {
  const url = await stack.gateway();
  const shutdown = stack.apps.at(-1)!.get(GracefulShutdown);
  return { url, shutdown, leave: (...times) => shutdown.leave(...times) };
}

describe('a gateway that leaves', () => {
  it('is not ready, but alive, and answers on new connections for a while, each once', async () => {
    const { url, leave } = await gateway();
    const known = await RawClient.to(url);
    known.get('/health/ready');
    await known.answers(1);
    void leave(unlimitedMs);
    known.get('/health/ready');
    await known.end();
    const fresh = await RawClient.to(url);
    fresh.get('/health/live');
    await fresh.end();
    const asks = await RawClient.to(url);
    asks.get(items);
    await asks.end();
    expect([known.statuses, fresh.statuses, asks.statuses]).toEqual([[200, 503], [200], [200]]);
    expect([known.saysClose, fresh.saysClose, asks.saysClose]).toEqual([[false, true], [true], [true]]);
    expect(known.received).toMatch(/\{"status":"leaving"\}$/);
  });

  it('answers the requests that it has, also those that wait behind others on a connection', async () => {
    const { url, leave } = await gateway();
    const client = await RawClient.to(url);
    client.get(slow, items, slow);
    await eventually('both requests', () => asked.size === 2);
    const left = leave(0, unlimitedMs);
    await eventually('the end of listening', () =>
      RawClient.to(url).then(
        (late) => (late.socket.destroy(), false),
        () => true,
      ),
    );
    release();
    await left;
    await client.end();
    expect(client.statuses).toEqual([200, 200, 200]);
    expect(client.saysClose).toEqual([false, false, true]);
  });

  it('does nothing for a request behind the answer that is the last one', async () => {
    const { url, leave, shutdown } = await gateway();
    const client = await RawClient.to(url);
    client.get(slow);
    await eventually('the first request', () => asked.size === 1);
    const left = leave(0, unlimitedMs);
    const [tell, isTooLate] = [jest.spyOn(shutdown, 'tell'), jest.spyOn(shutdown, 'isTooLate')];
    // Its answer stands in line behind the first one, and says already that it is the last
    client.get(items);
    await eventually('the answer in line', () => tell.mock.calls.length === 1);
    client.get(slow);
    await eventually('the request behind it', () => isTooLate.mock.calls.length === 2);
    release();
    await left;
    await client.end();
    expect([client.statuses, client.saysClose, asked.size]).toEqual([[200, 200], [false, true], 1]);
  });

  it('reads a body to its end and answers', async () => {
    const { url, leave } = await gateway();
    const client = await RawClient.to(url);
    client.send(`${head}\r\n\r\n${body.slice(0, 5)}`);
    const other = await RawClient.to(url);
    other.get(slow);
    await eventually('a request', () => asked.size === 1);
    const left = leave(0, unlimitedMs);
    client.send(body.slice(5));
    release();
    await left;
    await client.end();
    expect([client.statuses, client.saysClose]).toEqual([[201], [true]]);
  });

  it('answers on a connection that is used again soon, and says there that it is the last time', async () => {
    const { url, leave } = await gateway();
    const client = await RawClient.to(url);
    client.get(items);
    await client.answers(1);
    const left = leave(0, unlimitedMs);
    await sleep(300);
    client.get(items);
    await client.end();
    await left;
    expect([client.statuses, client.saysClose]).toEqual([
      [200, 200],
      [false, true],
    ]);
  });

  it('answers all whom the kernel has let in, and refuses the others', async () => {
    const { url, leave } = await gateway();
    const clients = Array.from({ length: 200 }, () =>
      RawClient.to(url).then(
        async (client) => {
          client.get('/health/live');
          await client.end();
          return client.statuses[0] ?? 'no answer';
        },
        (error: unknown) => (error as NodeJS.ErrnoException).code,
      ),
    );
    await leave(0, unlimitedMs);
    const ends = new Set(await Promise.all(clients));
    expect([...ends].filter((end) => end !== 'ECONNREFUSED')).toEqual([200]);
  });

  it('ends connections without a request: silent, kept alive, or with a head that never ends', async () => {
    const { url, leave } = await gateway();
    const [silent, kept, endless] = await Promise.all([1, 2, 3].map(() => RawClient.to(url)));
    kept!.get(items);
    await kept!.answers(1);
    endless!.send('GET / HTTP/1.1\r\nHost: x\r\n');
    const trickle = setInterval(() => endless!.send('a: b\r\n'), 20);
    await leave(0, unlimitedMs);
    clearInterval(trickle);
    await Promise.all([silent, kept, endless].map((client) => client!.end()));
    expect([silent!.received, kept!.statuses, endless!.received]).toEqual(['', [200], '']);
  });

  it('waits no longer than it may: for an answer, which is 504, nor for a body, nor for a reader', async () => {
    const { url, leave } = await gateway();
    const [waiting, sending, reading] = await Promise.all([1, 2, 3].map(() => RawClient.to(url)));
    waiting!.get(slow);
    sending!.send(`${head}\r\n\r\n${body.slice(0, 5)}`);
    reading!.socket.pause();
    reading!.get('/api/v1/products');
    await eventually('the requests', () => asked.size === 2);
    await leave(0, 200);
    reading!.socket.resume();
    await Promise.all([waiting, sending, reading].map((client) => client!.end()));
    expect([waiting!.statuses, waiting!.saysClose, sending!.received]).toEqual([[504], [true], '']);
    expect(reading!.received.length).toBeLessThan(7 * 1024 * 1024);
  });
});
