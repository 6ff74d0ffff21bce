import { jest } from '@jest/globals';
import { createHook } from 'node:async_hooks';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { nextOffsetHeader } from '#contracts';
import { deferred, FairConcurrencyLimit } from '#concurrency';
import { currentCall, RawReply } from '#request-queue';
import { eventually } from '#testing';
import type { FakeHandler } from '../../testing/fake-services.js';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { RawClient } from '../../testing/raw-client.js';
import { Admission } from '../admission/admission.js';
import type { CallPermit } from '../admission/call-permit.js';
import { TokenCache } from '../authentication/token-cache.js';
import { GracefulShutdown } from '../connections/graceful-shutdown.js';
import { CachedResponses } from './cached-responses.js';

const tryAdmit = jest.spyOn(Admission.prototype, 'tryAdmit');
let stack: GatewayStack;
let url: string;
let messages: string[] = [];
/** Of the messages. */
let requestIds: (string | undefined)[] = [];
/** Requests that the framework has handled. */
const inFramework = (): number => tryAdmit.mock.calls.length;
/** Validity of all replies of the catalog, except for user 2, who has drafts. */
let validity = 'v1';
let body = 'x'.repeat(2_000);
let validated = Promise.resolve();
let unreads = Promise.resolve();

beforeAll(async () => {
  const valid: FakeHandler = async ({ replies }: { replies: { validity: string; viewerId: number }[] }) => {
    await validated;
    return { valid: replies.map((it) => it.validity === validity && it.viewerId !== 2) };
  };
  const page: FakeHandler = () => {
    const { headers } = RawReply.page('', 20);
    return RawReply.json(`{"body":"${body}"}`, { headers }).tagged().validWhile(validity);
  };
  const handlers: Record<string, FakeHandler> = {
    'products.list': page,
    'items.list': page,
    'products.get': () => RawReply.json('{}').tagged().validWhile(validity),
    'materials.list': ({ viewerId }: { viewerId: number }) =>
      RawReply.json(`{"owner":${viewerId}}`).tagged().validWhile(validity),
    'activities.unreads': async () => {
      await unreads;
      return RawReply.json('{}').tagged().validWhile(validity);
    },
    'replies.validate': valid,
  };
  stack = await GatewayStack.start(
    new Proxy(handlers, {
      get: (target, name: string) => {
        messages.push(name);
        requestIds.push(currentCall()?.requestId);
        return target[name];
      },
    }),
  );
  url = await stack.gateway({ LOG_LEVEL: 'info' });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await stack.close();
});
beforeEach(async () => {
  [validity, body] = [`v${Math.random()}`, `${Math.random()}`.padEnd(2_000, 'x')];
  // Caches the tokens
  for (const token of ['writer', 'other-writer', 'reader', 'printer']) await get('/categories', { token });
  reset();
  // A validation never takes too long, however busy the machine is
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'performance', 'hrtime', 'nextTick', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
    ],
  });
});
afterEach(() => jest.useRealTimers());

function reset(): void {
  [messages, requestIds] = [[], []];
  tryAdmit.mockClear();
  stack.logged.length = 0;
}

interface Sent extends Record<string, string> {
  token: string;
}
interface Received {
  status: number;
  /** Names and values in turn, without those that differ in each response. */
  headers: string[];
  header: (name: string) => string | undefined;
  bytes: Buffer;
}

function get(path: string, { token, ...headers }: Partial<Sent> = {}, method = 'GET'): Promise<Received> {
  const own = { authorization: `Bearer ${token ?? 'writer'}`, ...headers };
  return new Promise((resolve, reject) => {
    request(`${url}/api/v1${path}`, { method, headers: own }, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const { rawHeaders } = response;
        resolve({
          status: response.statusCode!,
          headers: rawHeaders.filter((_, at) => !/^(?:date|x-request-id)$/i.test(rawHeaders[at - (at % 2)]!)),
          header: (name) => response.headers[name] as string | undefined,
          bytes: Buffer.concat(chunks),
        });
      });
    })
      .on('error', reject)
      .end();
  });
}

const sorted = ({ headers }: Received): string[] =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : [])).sort();

/** Sends a request twice. The framework handles the first one only. */
async function twice(path: string, sent: Partial<Sent> = {}): Promise<readonly [Received, Received]> {
  const first = await get(path, sent);
  expect(inFramework()).toBe(1);
  reset();
  const second = await get(path, sent);
  expect([inFramework(), messages]).toEqual([0, ['replies.validate']]);
  return [first, second];
}

describe('a request with a cached response', () => {
  it.each<[string, Partial<Sent>]>([
    ['/products', {}],
    ['/products?limit=5&offset=10', { 'accept-language': 'en' }],
    ['/products/', { 'accept-encoding': 'br' }],
    ['/items', { 'accept-encoding': 'gzip, deflate' }],
    ['/products/1', { 'accept-encoding': 'gzip' }],
    ['/materials', { 'accept-encoding': 'identity' }],
  ])('gets the bytes and headers of the framework: %s %j', async (path, sent) => {
    const [first, second] = await twice(path, sent);
    expect(second).toMatchObject({ status: 200, headers: first.headers, bytes: first.bytes });
    expect(second.header('cache-control')).toBe('private, no-cache');
    expect(second.header('access-control-allow-origin')).toBe('*');
  });

  it('gets the link to the next page, and a body in the coding that it accepts', async () => {
    const [, plain] = await twice('/products?limit=5');
    expect(plain.header('link')).toContain('/api/v1/products?limit=5&offset=20>; rel="next"');
    expect(plain.header(nextOffsetHeader)).toBeUndefined();
    reset();
    const [, br] = await twice('/products?limit=5', { 'accept-encoding': 'br' });
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    reset();
    const [, gzip] = await twice('/products?limit=5', { 'accept-encoding': 'gzip' });
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
  });

  it.each([['identity'], ['br']])('gets 304 for either entity tag, as from the framework: %s', async (coding) => {
    const [{ header }] = await twice('/products', { 'accept-encoding': coding });
    const etag = header('etag')!;
    for (const tag of [etag, etag.replace('-br"', '"'), `W/${etag}`, `"x", ${etag}`, '*']) {
      const sent = { 'accept-encoding': coding, 'if-none-match': tag };
      reset();
      const early = await get('/products', sent);
      expect([early.status, early.bytes.length, inFramework()]).toEqual([304, 0, 0]);
      jest.spyOn(CachedResponses.prototype, 'find').mockReturnValueOnce(undefined);
      const late = await get('/products', sent);
      expect([late.status, inFramework()]).toEqual([304, 1]);
      expect(sorted(early)).toEqual(sorted(late));
    }
    expect((await get('/products', { 'accept-encoding': coding, 'if-none-match': '"x"' })).status).toBe(200);
  });

  it('is cached by a client that always sends an entity tag', async () => {
    const etag = (await get('/products')).header('etag')!;
    validity = `v${Math.random()}`;
    reset();
    const [first, second] = await twice('/products', { 'if-none-match': etag });
    expect([first.status, second.status]).toEqual([304, 304]);
  });

  it('has its own request id, or that of the client', async () => {
    await get('/products');
    const ids = [await get('/products'), await get('/products')].map((it) => it.header('x-request-id'));
    expect(new Set(ids).size).toBe(2);
    expect((await get('/products', { 'x-request-id': 'mine' })).header('x-request-id')).toBe('mine');
    expect((await get('/products', { 'x-request-id': 'not ok' })).header('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  it('releases its permit after the response', async () => {
    await get('/products');
    const released = jest.spyOn(FairConcurrencyLimit.prototype, 'release');
    reset();
    await get('/products');
    await eventually('the release', () => released.mock.calls.length === 1);
    expect(inFramework()).toBe(0);
    released.mockRestore();
  });

  it('is logged as by the framework', async () => {
    await twice('/products');
    const early = await eventually('the line', () => stack.logged.at(-1));
    reset();
    jest.spyOn(CachedResponses.prototype, 'find').mockReturnValueOnce(undefined);
    await get('/products');
    const late = await eventually('the line', () => stack.logged.at(-1));
    const common = (line: object) => ({ ...line, time: 0, ms: 0, requestId: '' });
    expect(common(early)).toEqual(common(late));
  });

  it('is shared by all users, unless the reply is for one of them', async () => {
    await get('/products');
    await get('/materials');
    reset();
    await get('/products', { token: 'reader' });
    expect(inFramework()).toBe(0);
    const other = await get('/materials', { token: 'reader' });
    expect([inFramework(), other.bytes.toString()]).toEqual([1, '{"owner":3}']);
    reset();
    const bodies = [await get('/materials'), await get('/materials', { token: 'reader' })];
    expect(bodies.map(({ bytes }) => bytes.toString())).toEqual(['{"owner":1}', '{"owner":3}']);
    expect(inFramework()).toBe(0);
  });

  it('shares the next validation with all requests that wait for the current one', async () => {
    await get('/products');
    await get('/items');
    const { promise, resolve: release } = deferred();
    validated = promise;
    const acquired = jest.spyOn(Admission.prototype, 'acquireCall');
    reset();
    const first = get('/products');
    await eventually('the message', () => messages.length === 1);
    const others = Array.from({ length: 20 }, (_, n) => get(n % 2 ? '/products' : '/items'));
    await eventually('all requests', () => acquired.mock.calls.length === 21);
    release();
    for (const { status } of await Promise.all([first, ...others])) expect(status).toBe(200);
    expect([inFramework(), messages]).toEqual([0, ['replies.validate', 'replies.validate']]);
    acquired.mockRestore();
  });
});

describe('the cost of a request', () => {
  /** Returns the number of promises and timers per request of a pipelined batch. */
  async function asyncResources(path: string): Promise<number> {
    const requests = 16;
    const client = await RawClient.to(url);
    const counted = new Set(['PROMISE', 'Timeout', 'Immediate', 'TickObject']);
    let count = 0;
    const hook = createHook({ init: (_, type) => void (count += counted.has(type) ? 1 : 0) }).enable();
    client.get(...Array.from({ length: requests }, () => path));
    await client.waitForResponses(requests);
    hook.disable();
    client.socket.destroy();
    return count / requests;
  }

  it('is less than half of the promises and timers of the framework', async () => {
    const path = '/api/v1/products?limit=9';
    await get('/products?limit=9');
    await get('/products?limit=9', { 'accept-language': 'en' });
    const find = jest.spyOn(CachedResponses.prototype, 'find').mockReturnValue(undefined);
    const late = await asyncResources(path);
    find.mockRestore();
    await asyncResources(path);
    const early = await asyncResources(path);
    expect(early).toBeLessThan(late / 2);
  });
});

describe('the framework handles', () => {
  it.each<[string, string, Partial<Sent>]>([
    ['HEAD', '/products', {}],
    ['GET', '/products', { 'x-no-compression': '1' }],
    ['GET', '/products', { 'content-length': '0' }],
    ['GET', '/products', { authorization: 'Bearer  writer' }],
    ['GET', '/products', { 'accept-language': 'en' }],
    ['GET', '/products?limit=20', {}],
    ['GET', '/products', { token: 'unknown' }],
    ['GET', '/products', { token: 'printer' }],
  ])('a request that differs: %s %s %j', async (method, path, sent) => {
    await get('/products');
    reset();
    await get(path, sent, method);
    expect(inFramework()).toBe(1);
  });

  it('an operation whose service does not validate replies', async () => {
    await get('/activities/unreads');
    reset();
    await get('/activities/unreads');
    expect(inFramework()).toBe(1);
  });

  it('a request whose response is no longer valid, with one message more', async () => {
    await get('/products?limit=7');
    reset();
    validity = `v${Math.random()}`;
    body = 'another';
    const changed = await get('/products?limit=7', { 'x-request-id': 'mine' });
    expect(changed.bytes.toString()).toBe('{"body":"another"}');
    expect(changed.header('x-request-id')).toBe('mine');
    expect([inFramework(), messages]).toEqual([1, ['replies.validate', 'products.list']]);
    expect(stack.logged).toHaveLength(1);
    reset();
    expect((await get('/products?limit=7')).bytes.toString()).toBe('{"body":"another"}');
    expect(inFramework()).toBe(0);
  });

  it('a request whose responses were never valid again, without a message more', async () => {
    for (let n = 0; n < 5; n++) {
      await get('/products?limit=8');
      validity = `v${Math.random()}`;
    }
    reset();
    await get('/products?limit=8');
    expect([inFramework(), messages]).toEqual([1, ['products.list']]);
    await get('/products?limit=8');
    reset();
    await get('/products?limit=8');
    expect([inFramework(), messages]).toEqual([0, ['replies.validate']]);
  });

  it('a request whose response is no longer valid, with the same request id', async () => {
    await get('/products?limit=13');
    reset();
    validity = `v${Math.random()}`;
    const requestId = (await get('/products?limit=13')).header('x-request-id');
    expect(requestIds).toEqual([requestId, requestId]);
  });

  it('a request whose reply was replaced, with one validation', async () => {
    await get('/products?limit=10');
    validity = `v${Math.random()}`;
    body = 'another';
    await get('/products/?limit=10');
    // Longer than a reply is known to be invalid
    await sleep(60);
    reset();
    expect((await get('/products?limit=10')).bytes.toString()).toBe('{"body":"another"}');
    expect([inFramework(), messages]).toEqual([1, ['replies.validate']]);
  });

  it('a request with its permit, and with the time before', async () => {
    await get('/products?limit=11');
    validity = `v${Math.random()}`;
    const { promise, resolve: release } = deferred();
    validated = promise;
    const acquired = jest.spyOn(FairConcurrencyLimit.prototype, 'tryAcquire');
    const recorded = jest.spyOn(Admission.prototype, 'recordCall');
    reset();
    const response = get('/products?limit=11');
    await eventually('the message', () => messages.length === 1);
    await sleep(100);
    release();
    expect((await response).status).toBe(200);
    expect([inFramework(), acquired.mock.calls.length]).toEqual([1, 1]);
    const { ms } = await eventually('the line', () => stack.logged.at(-1) as { ms: number } | undefined);
    expect(ms).toBeGreaterThan(95);
    expect(recorded.mock.calls.every(([serviceMs]) => serviceMs > 95)).toBe(true);
    acquired.mockRestore();
    recorded.mockRestore();
  });

  it('a viewer with drafts, without an effect on others', async () => {
    await get('/products');
    reset();
    await get('/products', { token: 'other-writer' });
    expect([inFramework(), messages]).toEqual([1, ['replies.validate', 'products.list']]);
    reset();
    await get('/products');
    expect(inFramework()).toBe(0);
  });

  it('a token that was revoked', async () => {
    await get('/products', { token: 'reader' });
    const introspect = stack.handlers['tokens.introspect']!;
    stack.handlers['tokens.introspect'] = () => ({ active: false });
    const tokens = stack.apps[0]!.get<{ tokens: { clear(): void } }>(TokenCache);
    tokens.tokens.clear();
    expect((await get('/products', { token: 'reader' })).status).toBe(401);
    stack.handlers['tokens.introspect'] = introspect;
  });
});

describe('while the service validates', () => {
  it('a request has a permit, which is released at the end or when the client disconnects', async () => {
    await get('/products');
    const { promise, resolve: release } = deferred();
    validated = promise;
    const acquired = jest.spyOn(Admission.prototype, 'acquireCall');
    const client = await RawClient.to(url);
    client.get('/api/v1/products');
    await eventually('a permit', () => acquired.mock.results.length === 1);
    const permit = acquired.mock.results[0]!.value as CallPermit;
    const released = jest.spyOn(permit, 'release');
    client.socket.destroy();
    await eventually('the release', () => released.mock.calls.length > 0);
    validity = 'another';
    messages = [];
    release();
    await get('/items');
    expect(messages).not.toContain('products.list');
    acquired.mockRestore();
  });

  it.each([['valid'], ['invalid']])('a shutdown loses no response of a pipeline: %s', async (outcome) => {
    const origin = await stack.gateway();
    const client = await RawClient.to(origin);
    client.get('/api/v1/products?limit=12');
    await client.waitForResponses(1);
    const [validation, reply] = [deferred(), deferred()];
    validated = validation.promise;
    unreads = reply.promise;
    if (outcome === 'invalid') validity = `v${Math.random()}`;
    reset();
    client.get('/api/v1/products?limit=12', '/api/v1/activities/unreads');
    await eventually('both messages', () => messages.length === 2);
    const shutdown = stack.apps.at(-1)!.get(GracefulShutdown).shutDown(0);
    const sent = jest.spyOn(GracefulShutdown.prototype, 'announceClose');
    if (outcome === 'invalid') {
      validation.resolve();
      await eventually('the first response', () => sent.mock.calls.length === 1);
      reply.resolve();
    } else {
      reply.resolve();
      await eventually('the second response', () => sent.mock.calls.length === 1);
      validation.resolve();
    }
    await client.waitForResponses(3);
    sent.mockRestore();
    expect([client.statuses, client.closeHeaders]).toEqual([
      [200, 200, 200],
      [false, false, true],
    ]);
    client.socket.end();
    await shutdown;
  });

  it('a shutdown announces the end of the connection in the response', async () => {
    const other = await stack.gateway();
    const client = await RawClient.to(other);
    client.get('/api/v1/products');
    await client.waitForResponses(1);
    const { promise, resolve: release } = deferred();
    validated = promise;
    reset();
    client.get('/api/v1/products');
    await eventually('the message', () => messages.includes('replies.validate'));
    const shutdown = stack.apps.at(-1)!.get(GracefulShutdown).shutDown(0);
    release();
    await client.waitForResponses(2);
    expect([client.statuses, client.closeHeaders]).toEqual([
      [200, 200],
      [false, true],
    ]);
    client.socket.end();
    await shutdown;
  });
});
