import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deferred } from '#concurrency';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { RawReply } from '#request-queue';
import { eventually, type Scrape, TestProgram, testRedisUrl } from '#testing';
import { type FakeHandler, fakeServices } from './testing/fake-services.js';
import { send } from './testing/gateway-stack.js';

let folder: string;
let program: TestProgram;
let url: string;
let closeServices: () => Promise<void>;
const healthy = () => ({ status: 'ok' });
const handlers: Record<string, FakeHandler> = {
  'health.check': healthy,
  'identities.providers': () => ({ providers: [] }),
  'tokens.introspect': ({ token }: { readonly token: string }) => {
    return { active: true, userId: Number(token), scopes: ['read', 'write'], tokenHash: token };
  },
  'products.get': ({ productId }: { readonly productId: number }) => {
    if (productId === 404) throw new DomainError(problems['product.not-found'], 'The product does not exist.');
    return RawReply.json(`{"product":"${'x'.repeat(5_000)}"}`, { headers: { etag: '"one"' } });
  },
  'favorites.create': () => RawReply.json('{}', { status: 201 }),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-internal-'));
  const redisUrl = testRedisUrl();
  closeServices = await fakeServices(redisUrl, handlers);
  program = await TestProgram.start('gateway', {
    BASE_URL: 'http://localhost',
    REDIS_REQUESTS_URL: redisUrl,
    BLOB_STORE_URL: pathToFileURL(folder).href,
    IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
    RATE_LIMITS: 'favorites.create=1/60',
    MAX_CONNECTIONS: '40',
    TRUSTED_PROXIES: 'loopback',
    UNREADY_MS: '4000',
  });
  url = program.url;
  await program.untilReady();
});
afterAll(async () => {
  await program.kill();
  await closeServices();
  await rm(folder, { recursive: true });
});

/** Tokens are user ids. */
const token = '1';
let userId = 2;
const product = (id: number, headers = {}) => send('GET', `${url}/api/v1/products/${id}`, { token, headers });
const placeFavorite = () =>
  send('POST', `${url}/api/v1/products/1/favorites`, { token: `${userId}`, body: { count: 1 } });
/**
 * Uses up the limit of one favorite per user. Retries with another user if a busy Redis has not
 * counted the request in time.
 */
const useUpLimit = () =>
  eventually('a count', async () => {
    userId += 1;
    return (await placeFavorite()).headers.get('x-ratelimit-remaining') === '0';
  });
const exceedLimit = () => eventually('a rejection', async () => (await placeFavorite()).status === 429);
const route = '/api/v1/products/:productId';

/** Returns the increase of a metric during some work. */
async function increaseOf(work: () => Promise<unknown>, name: string, labels = {}): Promise<number> {
  const before = (await program.scrape()).sum(name, labels) ?? 0;
  await work();
  return eventually(name, async () => ((await program.scrape()).sum(name, labels) ?? 0) - before || undefined);
}

/** Metrics with labels, the expected increase, and the work that causes the increase. */
const increases: readonly (readonly [
  name: string,
  labels: Record<string, string>,
  by: number,
  () => Promise<unknown>,
])[] = [
  ['gateway_http_requests_total', { method: 'GET', route, status: '200' }, 1, () => product(1)],
  ['gateway_http_requests_total', { route, status: '304' }, 1, () => product(1, { 'if-none-match': '"one"' })],
  ['gateway_http_requests_total', { route, status: '404' }, 1, () => product(404)],
  ['gateway_http_requests_total', { route: 'none', status: '404' }, 1, () => send('GET', `${url}/a/b/c/d/e/f/g/h`)],
  ['gateway_http_request_seconds_count', { route }, 1, () => product(1)],
  ['gateway_http_rejected_total', { reason: 'malformed' }, 1, () => sendRaw('nonsense\r\n\r\n')],
  ['gateway_rate_limited_requests_total', { operation: 'favorites.create', outcome: 'counted' }, 1, useUpLimit],
  ['gateway_rate_limited_requests_total', { operation: 'favorites.create', outcome: 'rejected' }, 1, exceedLimit],
  ['cache_lookups_total', { cache: 'replies', outcome: 'hit' }, 1, () => product(1)],
  ['cache_lookups_total', { cache: 'replies', outcome: 'miss' }, 1, () => product(2)],
  ['rq_client_requests_total', { service: 'catalog', pattern: 'products.get', outcome: 'ok' }, 1, () => product(1)],
  ['rq_client_requests_total', { pattern: 'products.get', outcome: 'problem' }, 1, () => product(404)],
  ['rq_client_seconds_count', { pattern: 'products.get' }, 1, () => product(1)],
];

/** Sends text over a new connection, and resolves when the gateway has closed it. */
function sendRaw(text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('close', () => resolve());
    socket.on('error', () => undefined).resume();
    socket.write(text);
  });
}

describe('the gateway', () => {
  it.each(increases)('counts in %s %j', async (name, labels, by, work) => {
    expect(await increaseOf(work, name, labels)).toBe(by);
  });

  it('counts bytes', async () => {
    expect(
      await increaseOf(() => product(1, { 'x-no-compression': '1' }), 'gateway_http_sent_bytes_total'),
    ).toBeGreaterThan(5_000);
    expect(await increaseOf(() => product(1), 'gateway_http_received_bytes_total')).toBeGreaterThan(100);
    expect((await program.scrape()).sum('cache_bytes', { cache: 'replies' })).toBeGreaterThan(5_000);
  });

  it('exports open requests and rejected connections', async () => {
    const { promise: released, resolve: release } = deferred();
    handlers['items.list'] = () => released.then(() => RawReply.json('{}'));
    const response = send('GET', `${url}/api/v1/items`, { token });
    await eventually('the open request', async () => {
      const scrape = await program.scrape();
      return (
        scrape.sum('gateway_http_open_requests', { kind: 'calls' }) === 1 && scrape.sum('rq_client_inflight')! >= 1
      );
    });
    release();
    await response;
    const sockets = Array.from({ length: 60 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined);
    // A rejected connection is counted as open until it is closed
    await eventually('rejected connections', async () => {
      const scrape: Scrape = await program.scrape();
      const rejected = scrape.sum('gateway_http_rejected_total', { reason: 'connections' }) ?? 0;
      return rejected >= 20 && scrape.sum('gateway_http_connections') === 40;
    });
    for (const socket of sockets) socket.destroy();
    await eventually(
      'closed connections',
      async () => ((await program.scrape()).sum('gateway_http_connections') ?? 0) < 10,
    );
  });

  it('has no metrics on the public port', async () => {
    // `/metrics` is the page of a user with this name
    const page = await send('GET', `${url}/metrics`, { headers: { accept: 'text/plain' } });
    expect(JSON.stringify(page.body)).not.toContain('# HELP');
  });

  it('reports the same readiness on both ports, with the unavailable service', async () => {
    handlers['health.check'] = () => {
      throw new DomainError(problems['service.unavailable'], 'The database is not reachable.');
    };
    await eventually('not ready', async () => (await program.ready())?.status === 503);
    const [internal, external] = [await program.ready(), await send('GET', `${url}/health/ready`)];
    expect(internal!.body).toEqual({ status: 'unavailable', parts: { requests: 'ok', ...external.body.services } });
    expect(external.status).toBe(503);
    handlers['health.check'] = healthy;
    await program.untilReady();
  });

  it('is not ready after SIGTERM, and still serves requests', async () => {
    program.signal('SIGTERM');
    await eventually('not ready', async () => (await program.ready())?.status === 503);
    expect((await program.ready())!.body.status).toBe('shutting-down');
    expect((await product(1)).status).toBe(200);
    expect(await program.ended()).toBe(0);
  });
});
