import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentCall, RawReply } from '#request-queue';
import { eventually } from '#testing';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { RawClient } from '../../testing/raw-client.js';
import { GracefulShutdown } from './graceful-shutdown.js';

/** Longer than a test. */
const unlimitedMs = 60_000;

let stack: GatewayStack;
/** Releases delayed replies. */
let release: () => void;
let released: Promise<void>;
/**
 * Ids of the requests that services received. A slow request is attempted twice with the same id.
 */
const requestIds = new Set<string>();

beforeAll(async () => {
  stack = await GatewayStack.start({
    'health.check': () => ({ status: 'ok' }),
    'products.list': () => {
      requestIds.add(currentCall()!.requestId);
      return RawReply.json(JSON.stringify({ products: 'x'.repeat(7 * 1024 * 1024) }));
    },
    'items.list': () => RawReply.json('{"items":[]}'),
    'products.get': async () => {
      requestIds.add(currentCall()!.requestId);
      await released;
      return RawReply.json('{"products":{}}');
    },
    'choices.create': () => RawReply.json('{"choice":{}}', { status: 201 }),
  });
});
beforeEach(() => {
  requestIds.clear();
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

async function gateway(): Promise<{ url: string; shutDown: GracefulShutdown['shutDown']; shutdown: GracefulShutdown }> {
  const url = await stack.gateway();
  const shutdown = stack.apps.at(-1)!.get(GracefulShutdown);
  return { url, shutdown, shutDown: (...times) => shutdown.shutDown(...times) };
}

describe('shutdown of a gateway', () => {
  it('reports not ready but live, and serves new connections for a while, one request each', async () => {
    const { url, shutDown } = await gateway();
    const existing = await RawClient.to(url);
    existing.get('/health/ready');
    await existing.waitForResponses(1);
    void shutDown(unlimitedMs);
    existing.get('/health/ready');
    await existing.waitForClose();
    const fresh = await RawClient.to(url);
    fresh.get('/health/live');
    await fresh.waitForClose();
    const another = await RawClient.to(url);
    another.get(items);
    await another.waitForClose();
    expect([existing.statuses, fresh.statuses, another.statuses]).toEqual([[200, 503], [200], [200]]);
    expect([existing.closeHeaders, fresh.closeHeaders, another.closeHeaders]).toEqual([[false, true], [true], [true]]);
    expect(existing.received).toMatch(/\{"status":"shutting-down"\}$/);
  });

  it('responds to open requests, including pipelined ones', async () => {
    const { url, shutDown } = await gateway();
    const client = await RawClient.to(url);
    client.get(slow, items, slow);
    await eventually('both requests', () => requestIds.size === 2);
    const shutdownEnd = shutDown(0, unlimitedMs);
    await eventually('the end of listening', () =>
      RawClient.to(url).then(
        (client) => (client.socket.destroy(), false),
        () => true,
      ),
    );
    release();
    await shutdownEnd;
    await client.waitForClose();
    expect(client.statuses).toEqual([200, 200, 200]);
    expect(client.closeHeaders).toEqual([false, false, true]);
  });

  it('does not process requests after the last response of a connection', async () => {
    const { url, shutDown, shutdown } = await gateway();
    const client = await RawClient.to(url);
    client.get(slow);
    await eventually('the first request', () => requestIds.size === 1);
    const shutdownEnd = shutDown(0, unlimitedMs);
    const [announceClose, isTooLate] = [jest.spyOn(shutdown, 'announceClose'), jest.spyOn(shutdown, 'isTooLate')];
    // Its response is queued after the first one, and has Connection: close
    client.get(items);
    await eventually('the response is queued', () => announceClose.mock.calls.length === 1);
    client.get(slow);
    await eventually('the request behind it', () => isTooLate.mock.calls.length === 2);
    release();
    await shutdownEnd;
    await client.waitForClose();
    expect([client.statuses, client.closeHeaders, requestIds.size]).toEqual([[200, 200], [false, true], 1]);
  });

  it('reads a body to its end and responds', async () => {
    const { url, shutDown } = await gateway();
    const client = await RawClient.to(url);
    client.send(`${head}\r\n\r\n${body.slice(0, 5)}`);
    const other = await RawClient.to(url);
    other.get(slow);
    await eventually('a request', () => requestIds.size === 1);
    const shutdownEnd = shutDown(0, unlimitedMs);
    client.send(body.slice(5));
    release();
    await shutdownEnd;
    await client.waitForClose();
    expect([client.statuses, client.closeHeaders]).toEqual([[201], [true]]);
  });

  it('serves another request on an active connection, with Connection: close', async () => {
    const { url, shutDown } = await gateway();
    const client = await RawClient.to(url);
    client.get(items);
    await client.waitForResponses(1);
    const shutdownEnd = shutDown(0, unlimitedMs);
    await sleep(300);
    client.get(items);
    await client.waitForClose();
    await shutdownEnd;
    expect([client.statuses, client.closeHeaders]).toEqual([
      [200, 200],
      [false, true],
    ]);
  });

  it('serves all connections accepted by the kernel, and rejects others', async () => {
    const { url, shutDown } = await gateway();
    const clients = Array.from({ length: 200 }, () =>
      RawClient.to(url).then(
        async (client) => {
          client.get('/health/live');
          await client.waitForClose();
          return client.statuses[0] ?? 'no response';
        },
        (error: unknown) => (error as NodeJS.ErrnoException).code,
      ),
    );
    await shutDown(0, unlimitedMs);
    const outcomes = new Set(await Promise.all(clients));
    expect([...outcomes].filter((outcome) => outcome !== 'ECONNREFUSED')).toEqual([200]);
  });

  it('closes connections without a request: new, idle, or with an incomplete head', async () => {
    const { url, shutDown } = await gateway();
    const [unused, idle, endless] = await Promise.all([1, 2, 3].map(() => RawClient.to(url)));
    idle!.get(items);
    await idle!.waitForResponses(1);
    endless!.send('GET / HTTP/1.1\r\nHost: x\r\n');
    const trickle = setInterval(() => endless!.send('a: b\r\n'), 20);
    await shutDown(0, unlimitedMs);
    clearInterval(trickle);
    await Promise.all([unused, idle, endless].map((client) => client!.waitForClose()));
    expect([unused!.received, idle!.statuses, endless!.received]).toEqual(['', [200], '']);
  });

  it('has a limited duration: open requests get 504, slow bodies and slow readers are disconnected', async () => {
    const { url, shutDown } = await gateway();
    const [waiting, sending, reading] = await Promise.all([1, 2, 3].map(() => RawClient.to(url)));
    waiting!.get(slow);
    sending!.send(`${head}\r\n\r\n${body.slice(0, 5)}`);
    reading!.socket.pause();
    reading!.get('/api/v1/products');
    await eventually('the requests', () => requestIds.size === 2);
    await shutDown(0, 200);
    reading!.socket.resume();
    await Promise.all([waiting, sending, reading].map((client) => client!.waitForClose()));
    expect([waiting!.statuses, waiting!.closeHeaders, sending!.received]).toEqual([[504], [true], '']);
    expect(reading!.received.length).toBeLessThan(7 * 1024 * 1024);
  });
});
