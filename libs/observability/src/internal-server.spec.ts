import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Counter, Gauge, Registry } from 'prom-client';
import { deferred } from '#concurrency';
import { eventually } from '#testing';
import { InternalRoutes } from './internal-routes.js';
import { InternalServer } from './internal-server.js';
import { metricGroup } from './metrics.js';
import { Readiness } from './readiness.js';

let shutdown: AbortController;
let registry: Registry;
let readiness: Readiness;
let routes: InternalRoutes;
let server: InternalServer;
let url: string;
let port: number;

beforeEach(async () => {
  shutdown = new AbortController();
  registry = new Registry();
  readiness = new Readiness(shutdown.signal);
  routes = new InternalRoutes();
  server = new InternalServer({ port: 0, registry, readiness, routes });
  port = await server.open();
  url = `http://127.0.0.1:${port}`;
});
afterEach(() => server.close());

const statusOf = async (path: string, init: RequestInit = {}): Promise<number> =>
  (await fetch(url + path, init)).status;

async function ready(): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, body: await response.json() };
}

/** Returns all that a connection receives until it is closed. */
async function receivedFrom(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString())).on('error', () => undefined);
  await once(socket, 'close');
  return text;
}

describe('the internal server', () => {
  it('reports liveness, also during shutdown', async () => {
    expect(await statusOf('/health/live')).toBe(200);
    shutdown.abort();
    expect(await statusOf('/health/live')).toBe(200);
    expect(await statusOf('/health/ready')).toBe(503);
  });

  it('accepts a check that completed while the event loop was blocked', async () => {
    readiness.markStarted();
    const check = async (): Promise<boolean> => {
      const result = stat('.');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
      return (await result).isDirectory();
    };
    readiness.addCheck('part', check);
    expect(await ready()).toEqual({ status: 200, body: { status: 'ok', parts: { part: 'ok' } } });
  });

  it('returns the current metrics', async () => {
    new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3);
    const response = await fetch(`${url}/metrics?of=everything`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toContain('# TYPE things_total counter\nthings_total 3\n');
  });

  it('coalesces concurrent scrapes', async () => {
    let collections = 0;
    const { promise: collected, resolve: release } = deferred();
    const collect = (): Promise<void> => {
      collections += 1;
      return collected;
    };
    new Gauge({ name: 'slow', help: 'Slow', registers: [registry], collect });
    const sockets = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    const responses = Promise.all(sockets.map(receivedFrom));
    // The response to a later request shows that the server has read all of these
    expect(await statusOf('/health/live')).toBe(200);
    release();
    for (const response of await responses) expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(collections).toBe(1);
  });

  it('returns 500 when a metric cannot be collected, and continues to serve', async () => {
    const collect = (): Promise<void> => Promise.reject(new Error('with a secret'));
    new Gauge({ name: 'broken', help: 'Broken', registers: [registry], collect });
    const response = await fetch(`${url}/metrics`);
    expect([response.status, await response.json()]).toEqual([500, { status: 'failed' }]);
    expect(await statusOf('/health/live')).toBe(200);
  });

  it('responds to HEAD without a body', async () => {
    const response = await fetch(`${url}/health/live`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('rejects %s with 405', async (method) => {
    const response = await fetch(`${url}/metrics`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it.each(['/', '/health', '/metrics/', '/health/live/x', '//metrics'])('returns 404 for %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });

  it('rejects a request body with 413', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nxxx');
    expect(await receivedFrom(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('responds to one request per connection, and closes connections without a complete request', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    expect((await receivedFrom(socket)).match(/HTTP\/1\.1/g)).toHaveLength(1);
    const slow = connect(port, '127.0.0.1');
    slow.write('GET /health/live HTTP/1.1\r\n');
    // A connection that sends nothing is closed without a response, after twice the time
    expect(await receivedFrom(slow)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('limits the number of connections', async () => {
    const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    let closed = 0;
    for (const socket of sockets) socket.on('close', () => (closed += 1)).resume();
    await eventually('some are closed', () => closed >= 8);
    expect(closed).toBe(8);
    for (const socket of sockets) socket.destroy();
  });

  it('closes although a client is connected', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    server.close();
    await receivedFrom(socket);
    await expect(fetch(`${url}/health/live`)).rejects.toThrow();
  });

  it('listens on the configured address only', async () => {
    // Another program uses the port on another address, so listening on all addresses would fail
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const usedPort = (other.address() as AddressInfo).port;
    const local = new InternalServer({ port: usedPort, host: '127.0.0.2', readiness });
    await local.open();
    expect((await fetch(`http://127.0.0.2:${usedPort}/health/live`)).status).toBe(200);
    local.close();
    other.close();
  });

  it('names the port when it is in use', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const usedPort = (other.address() as AddressInfo).port;
    await expect(new InternalServer({ port: usedPort }).open()).rejects.toThrow(
      `INTERNAL_PORT: port ${usedPort} is used by another program`,
    );
    other.close();
  });
});

describe('a route of the internal server', () => {
  const page = (body: string) => ({ status: 200, type: 'text/plain', body });
  const register = (handle: () => Promise<ReturnType<typeof page>>): (() => void) =>
    routes.register({ path: '/route', methods: ['PUT'], handle });

  it('serves everything below its path until it is removed', async () => {
    const remove = register(() => Promise.resolve({ ...page('here'), headers: { 'cache-control': 'private' } }));
    for (const path of ['/route', '/route/', '/route/x?y']) expect(await statusOf(path)).toBe(200);
    expect(await statusOf('/routes')).toBe(404);
    expect((await fetch(`${url}/route`)).headers.get('cache-control')).toBe('private');
    remove();
    expect(await statusOf('/route')).toBe(404);
  });

  it('has additional methods, without bodies', async () => {
    register(() => Promise.resolve(page('here')));
    expect(await statusOf('/route', { method: 'PUT' })).toBe(200);
    expect(await statusOf('/route', { method: 'PUT', body: 'x' })).toBe(413);
    expect(await statusOf('/metrics', { method: 'PUT' })).toBe(405);
    const rejected = await fetch(`${url}/route`, { method: 'POST' });
    expect([rejected.status, rejected.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT']);
  });

  it('returns 500 without the error message', async () => {
    register(() => Promise.reject(new Error('with a secret')));
    expect(await (await fetch(`${url}/route`)).json()).toEqual({ status: 'failed' });
  });

  it('does not block other paths while it hangs, and returns 504', async () => {
    const { promise: hanging, resolve: release } = deferred();
    register(() => hanging.then(() => page('released')));
    const statuses = Array.from({ length: 14 }, () => statusOf('/route'));
    expect(await Promise.race(statuses)).toBe(503);
    expect(await statusOf('/health/live')).toBe(200);
    expect((await Promise.all(statuses)).sort()).toEqual([
      ...Array.from({ length: 2 }, () => 503),
      ...Array.from({ length: 12 }, () => 504),
    ]);
    // Requests that timed out count until their handlers end
    expect(await statusOf('/route')).toBe(503);
    release();
    await hanging;
    expect(await statusOf('/route')).toBe(200);
  });
});

describe('readiness', () => {
  it('reports each failed check', async () => {
    readiness.addCheck('database', () => true);
    readiness.addCheck('jobs', () => Promise.resolve(false));
    const removeBroken = readiness.addCheck('requests', () => {
      throw new Error('broken');
    });
    readiness.markStarted();
    expect(await ready()).toEqual({
      status: 503,
      body: { status: 'unavailable', parts: { database: 'ok', jobs: 'unavailable', requests: 'unavailable' } },
    });
    removeBroken();
    expect((await ready()).body).toMatchObject({ parts: { database: 'ok', jobs: 'unavailable' } });
  });

  it('combines checks of the same name: all must pass', async () => {
    readiness.addCheck('requests', () => true);
    const remove = readiness.addCheck('requests', () => false);
    readiness.markStarted();
    expect((await ready()).status).toBe(503);
    remove();
    expect(await ready()).toEqual({ status: 200, body: { status: 'ok', parts: { requests: 'ok' } } });
  });

  it('reports starting until the start is complete', async () => {
    readiness.addCheck('database', () => true);
    expect(await ready()).toEqual({ status: 503, body: { status: 'starting', parts: { database: 'ok' } } });
    readiness.markStarted();
    expect((await ready()).status).toBe(200);
  });

  it('times out a check that does not complete', async () => {
    readiness.addCheck('database', () => new Promise(() => undefined));
    readiness.markStarted();
    expect((await ready()).body).toMatchObject({ parts: { database: 'unavailable' } });
  });

  it('reports shutting-down from the start of the shutdown, also in a report that began before', async () => {
    readiness.addCheck('database', () => new Promise((resolve) => setTimeout(() => resolve(true), 300)));
    readiness.markStarted();
    const pending = ready();
    await new Promise((resolve) => setTimeout(resolve, 100));
    shutdown.abort();
    expect(await pending).toMatchObject({ status: 503, body: { status: 'shutting-down' } });
    expect(await ready()).toEqual({ status: 503, body: { status: 'shutting-down', parts: {} } });
  });
});

describe('a metric that is read on scrape', () => {
  const group = metricGroup((make) => ({
    size: make.readGauge('size', 'Size', 'of'),
    bytes: make.readCounter('bytes_total', 'Bytes'),
  }));

  it('adds up its readings, and omits undefined values', async () => {
    const { size, bytes } = group(registry);
    let reading = 2;
    const unwatch = size.watch({ of: 'a' }, () => reading);
    size.watch({ of: 'a' }, () => Promise.resolve(5));
    size.watch({ of: 'b' }, () => undefined);
    bytes.watch({}, () => reading);
    expect(await registry.metrics()).toContain('size{of="a"} 7\n');
    expect(await registry.metrics()).not.toContain('of="b"');
    reading = 3;
    expect(await registry.metrics()).toMatch(/size\{of="a"\} 8\n[^]*bytes_total 3\n/);
    unwatch();
    expect(await registry.metrics()).toContain('size{of="a"} 5\n');
  });

  it('is created once for each registry', () => {
    expect(group(registry)).toBe(group(registry));
    expect(group(registry)).not.toBe(group(new Registry()));
  });
});
