import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Counter, Gauge, Registry } from 'prom-client';
import { deferred } from '#concurrency';
import { eventually } from '#testing';
import { InternalAreas } from './internal-areas.js';
import { InternalServer } from './internal-server.js';
import { metricGroup } from './metrics.js';
import { Readiness } from './readiness.js';

let ending: AbortController;
let registry: Registry;
let readiness: Readiness;
let areas: InternalAreas;
let server: InternalServer;
let url: string;
let port: number;

beforeEach(async () => {
  ending = new AbortController();
  registry = new Registry();
  readiness = new Readiness(ending.signal);
  areas = new InternalAreas();
  server = new InternalServer({ port: 0, registry, readiness, areas });
  port = await server.open();
  url = `http://127.0.0.1:${port}`;
});
afterEach(() => server.close());

const statusOf = async (path: string, init: RequestInit = {}): Promise<number> =>
  (await fetch(url + path, init)).status;

async function ready(): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}/health/ready`);
  return { status: answer.status, body: await answer.json() };
}

/** What a connection hears until it ends. */
async function heard(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString())).on('error', () => undefined);
  await once(socket, 'close');
  return text;
}

describe('the internal server', () => {
  it('says that the process lives, also while it ends', async () => {
    expect(await statusOf('/health/live')).toBe(200);
    ending.abort();
    expect(await statusOf('/health/live')).toBe(200);
    expect(await statusOf('/health/ready')).toBe(503);
  });

  it('takes a part for there that has answered while the process stood still', async () => {
    readiness.started();
    const look = async (): Promise<boolean> => {
      const answer = stat('.');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
      return (await answer).isDirectory();
    };
    readiness.needs('part', look);
    expect(await ready()).toEqual({ status: 200, body: { status: 'ok', parts: { part: 'ok' } } });
  });

  it('shows metrics, as they are at that moment', async () => {
    new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3);
    const answer = await fetch(`${url}/metrics?of=everything`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.text()).toContain('# TYPE things_total counter\nthings_total 3\n');
  });

  it('looks once for all who ask at the same time', async () => {
    let looks = 0;
    const { promise: looked, resolve: goOn } = deferred();
    const collect = (): Promise<void> => {
      looks += 1;
      return looked;
    };
    new Gauge({ name: 'looks', help: 'Looks', registers: [registry], collect });
    const sockets = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    const answers = Promise.all(sockets.map(heard));
    // Who asks after them is answered after all of them were read
    expect(await statusOf('/health/live')).toBe(200);
    goOn();
    for (const answer of await answers) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(looks).toBe(1);
  });

  it('tells of metrics that cannot be shown, and goes on', async () => {
    const collect = (): Promise<void> => Promise.reject(new Error('with a secret'));
    new Gauge({ name: 'broken', help: 'Broken', registers: [registry], collect });
    const answer = await fetch(`${url}/metrics`);
    expect([answer.status, await answer.json()]).toEqual([500, { status: 'failed' }]);
    expect(await statusOf('/health/live')).toBe(200);
  });

  it('answers the head alone to HEAD', async () => {
    const answer = await fetch(`${url}/health/live`, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const answer = await fetch(`${url}/metrics`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it.each(['/', '/health', '/metrics/', '/health/live/x', '//metrics'])('has nothing at %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });

  it('takes no bodies', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nxxx');
    expect(await heard(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('answers once on each connection, and ends those that ask nothing', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    expect((await heard(socket)).match(/HTTP\/1\.1/g)).toHaveLength(1);
    const slow = connect(port, '127.0.0.1');
    slow.write('GET /health/live HTTP/1.1\r\n');
    // Who says nothing at all hears nothing, twice as late
    expect(await heard(slow)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('has few connections', async () => {
    const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    let closed = 0;
    for (const socket of sockets) socket.on('close', () => (closed += 1)).resume();
    await eventually('some are closed', () => closed >= 8);
    expect(closed).toBe(8);
    for (const socket of sockets) socket.destroy();
  });

  it('ends at once, whoever is connected', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    server.close();
    await heard(socket);
    await expect(fetch(`${url}/health/live`)).rejects.toThrow();
  });

  it('is at one address when it is told one', async () => {
    // Another program has the port at another address, and it would be taken at all of them
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const itsPort = (other.address() as AddressInfo).port;
    const local = new InternalServer({ port: itsPort, host: '127.0.0.2', readiness });
    await local.open();
    expect((await fetch(`http://127.0.0.2:${itsPort}/health/live`)).status).toBe(200);
    local.close();
    other.close();
  });

  it('names a port that is taken', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const taken = (other.address() as AddressInfo).port;
    await expect(new InternalServer({ port: taken }).open()).rejects.toThrow(
      `INTERNAL_PORT: port ${taken} is taken by another program`,
    );
    other.close();
  });
});

describe('an area of the internal server', () => {
  const page = (said: string) => ({ status: 200, type: 'text/plain', body: said });
  const declare = (answer: () => Promise<ReturnType<typeof page>>): (() => void) =>
    areas.declare({ path: '/area', methods: ['PUT'], answer });

  it('is all that is below its path, as long as it is declared', async () => {
    const forget = declare(() => Promise.resolve({ ...page('here'), headers: { 'cache-control': 'private' } }));
    for (const path of ['/area', '/area/', '/area/x?y']) expect(await statusOf(path)).toBe(200);
    expect(await statusOf('/areas')).toBe(404);
    expect((await fetch(`${url}/area`)).headers.get('cache-control')).toBe('private');
    forget();
    expect(await statusOf('/area')).toBe(404);
  });

  it('has methods of its own, but no bodies', async () => {
    declare(() => Promise.resolve(page('here')));
    expect(await statusOf('/area', { method: 'PUT' })).toBe(200);
    expect(await statusOf('/area', { method: 'PUT', body: 'x' })).toBe(413);
    expect(await statusOf('/metrics', { method: 'PUT' })).toBe(405);
    const refused = await fetch(`${url}/area`, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT']);
  });

  it('that fails says no more than that', async () => {
    declare(() => Promise.reject(new Error('with a secret')));
    expect(await (await fetch(`${url}/area`)).json()).toEqual({ status: 'failed' });
  });

  it('that hangs keeps nobody else from an answer, and is left', async () => {
    const { promise: hanging, resolve: go } = deferred();
    declare(() => hanging.then(() => page('at last')));
    const asked = Array.from({ length: 14 }, () => statusOf('/area'));
    expect(await Promise.race(asked)).toBe(503);
    expect(await statusOf('/health/live')).toBe(200);
    expect((await Promise.all(asked)).sort()).toEqual([
      ...Array.from({ length: 2 }, () => 503),
      ...Array.from({ length: 12 }, () => 504),
    ]);
    // What was begun is not over
    expect(await statusOf('/area')).toBe(503);
    go();
    await hanging;
    expect(await statusOf('/area')).toBe(200);
  });
});

describe('readiness', () => {
  it('names what is missing', async () => {
    readiness.needs('database', () => true);
    readiness.needs('jobs', () => Promise.resolve(false));
    const broken = readiness.needs('requests', () => {
      throw new Error('broken');
    });
    readiness.started();
    expect(await ready()).toEqual({
      status: 503,
      body: { status: 'unavailable', parts: { database: 'ok', jobs: 'unavailable', requests: 'unavailable' } },
    });
    broken();
    expect((await ready()).body).toMatchObject({ parts: { database: 'ok', jobs: 'unavailable' } });
  });

  it('needs all that have the same name', async () => {
    readiness.needs('requests', () => true);
    const forget = readiness.needs('requests', () => false);
    readiness.started();
    expect((await ready()).status).toBe(503);
    forget();
    expect(await ready()).toEqual({ status: 200, body: { status: 'ok', parts: { requests: 'ok' } } });
  });

  it('is not there before all is there that can be asked', async () => {
    readiness.needs('database', () => true);
    expect(await ready()).toEqual({ status: 503, body: { status: 'starting', parts: { database: 'ok' } } });
    readiness.started();
    expect((await ready()).status).toBe(200);
  });

  it('does not wait long for a part that says nothing', async () => {
    readiness.needs('database', () => new Promise(() => undefined));
    readiness.started();
    expect((await ready()).body).toMatchObject({ parts: { database: 'unavailable' } });
  });

  it('ends with the first sign that the process does, also for who asked before', async () => {
    readiness.needs('database', () => new Promise((resolve) => setTimeout(() => resolve(true), 300)));
    readiness.started();
    const asked = ready();
    await new Promise((resolve) => setTimeout(resolve, 100));
    ending.abort();
    expect(await asked).toMatchObject({ status: 503, body: { status: 'leaving' } });
    expect(await ready()).toEqual({ status: 503, body: { status: 'leaving', parts: {} } });
  });
});

describe('a metric that is read when somebody looks', () => {
  const group = metricGroup((make) => ({
    size: make.readGauge('size', 'Size', 'of'),
    bytes: make.readCounter('bytes_total', 'Bytes'),
  }));

  it('adds up its shares, and leaves out what is not known', async () => {
    const { size, bytes } = group(registry);
    let own = 2;
    const forget = size.watch({ of: 'a' }, () => own);
    size.watch({ of: 'a' }, () => Promise.resolve(5));
    size.watch({ of: 'b' }, () => undefined);
    bytes.watch({}, () => own);
    expect(await registry.metrics()).toContain('size{of="a"} 7\n');
    expect(await registry.metrics()).not.toContain('of="b"');
    own = 3;
    expect(await registry.metrics()).toMatch(/size\{of="a"\} 8\n[^]*bytes_total 3\n/);
    forget();
    expect(await registry.metrics()).toContain('size{of="a"} 5\n');
  });

  it('is made once for each registry', () => {
    expect(group(registry)).toBe(group(registry));
    expect(group(registry)).not.toBe(group(new Registry()));
  });
});
