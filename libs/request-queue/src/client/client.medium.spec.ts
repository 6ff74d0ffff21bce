import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { type DomainError } from '#kernel';
import { eventually, testRedisUrl } from '#testing';
import { decodeRequest, encodeReply, type RequestFrame } from '../wire/frames.js';
import { openQueueClients, runInCall, type QueueClients } from '../index.js';
import { fakeTimeouts } from '../testing/fake-timeouts.js';

const redisUrl = testRedisUrl();
const queue = 'rq:{activity}:q';
const registry = new Registry();
let redis: Redis;
let clients: QueueClients;

// The test acts as the service: it sets the live marker, takes frames and pushes replies
beforeAll(async () => {
  redis = new Redis(redisUrl);
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['activity'], registry });
});
beforeEach(async () => {
  await redis.flushdb();
  await redis.set('rq:{activity}:live', 100);
});
afterEach(() => jest.useRealTimers());
afterAll(async () => {
  await clients.close();
  redis.disconnect();
});

async function take(timeoutSeconds = 5): Promise<RequestFrame | null> {
  const popped = await redis.blpopBuffer(queue, timeoutSeconds);
  return popped && decodeRequest(popped[1]);
}
const replyTo = ({ correlation }: RequestFrame, body: string): Buffer =>
  encodeReply({ flags: 0, correlation, status: 200, headers: {}, body: Buffer.from(body) });
/** Sends a request and returns the pattern of the next frame: an earlier frame would come first. */
async function nextPattern(): Promise<string | undefined> {
  const abort = new AbortController();
  const request = clients
    .of('activity')
    .call('health.check', {}, { signal: abort.signal })
    .catch(() => undefined);
  const frame = await take();
  abort.abort();
  await request;
  return frame?.pattern;
}

async function countOf(name: string): Promise<number> {
  return (await registry.getSingleMetric(name)!.get()).values.reduce((sum, { value }) => sum + value, 0);
}

const ok = '{"status":"ok"}';
const list = { viewerId: 1, limit: 1, language: 'en' } as const;

describe('the client', () => {
  it('sends request id and trace context of the current call', async () => {
    const metadata = { requestId: 'r-1', traceparent: '00-aa-bb-01' };
    const request = runInCall(metadata, () => clients.of('activity').call('health.check', {}));
    const frame = await take();
    expect(frame?.headers).toEqual(metadata);
    expect(frame?.payload.toString()).toBe('{}');
    await redis.rpush(frame!.replyKey, replyTo(frame!, ok));
    expect(await request).toEqual({ status: 'ok' });
  });

  it('counts and drops malformed frames and replies without an open request', async () => {
    const request = clients.of('activity').call('health.check', {});
    const frame = (await take())!;
    await redis.rpush(frame.replyKey, 'garbage', replyTo({ ...frame, correlation: 999_999 }, ok), replyTo(frame, ok));
    expect(await request).toEqual({ status: 'ok' });
    await redis.rpush(frame.replyKey, replyTo(frame, ok));
    await eventually('the second reply is late', async () => (await countOf('rq_client_late_replies_total')) === 2);
    expect(await countOf('rq_bad_frames_total')).toBe(1);
  });

  it('accepts no reply from a service that did not receive the request', async () => {
    const before = clients.of('activity').call('health.check', {});
    const own = (await take())!;
    await redis.rpush(own.replyKey, replyTo(own, ok));
    await before;
    const request = clients.of('activity').call('activities.unreads', { viewerId: 1 });
    const frame = (await take())!;
    const guess = (_: unknown, n: number) => replyTo({ ...own, correlation: own.correlation + n }, '{"unreads":9}');
    await redis.rpush(frame.replyKey, ...Array.from({ length: 100 }, guess), replyTo(frame, '{"unreads":2}'));
    expect(await request).toEqual({ unreads: 2 });
  });

  it('sends a safe request again when the first replica does not reply', async () => {
    fakeTimeouts();
    const request = clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 2_000 });
    const first = (await take())!;
    jest.advanceTimersByTime(1_000);
    const second = (await take())!;
    expect(second.correlation).not.toBe(first.correlation);
    // Equal, except for the estimated offset of the clock of Redis: 12 ms on a busy machine
    expect(Math.abs(second.deadline - first.deadline)).toBeLessThan(50);
    await redis.rpush(second.replyKey, replyTo(second, '{"unreads":2}'));
    expect(await request).toEqual({ unreads: 2 });
    await redis.rpush(first.replyKey, replyTo(first, '{"unreads":1}'));
  });

  it('removes the second attempt when the reply to the first arrives late', async () => {
    fakeTimeouts();
    const request = clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 1_000 });
    const first = (await take())!;
    jest.advanceTimersByTime(500);
    await eventually('the second attempt waits', async () => (await redis.llen(queue)) === 1);
    await redis.rpush(first.replyKey, replyTo(first, '{"unreads":1}'));
    expect(await request).toEqual({ unreads: 1 });
    await eventually('the second attempt is removed', async () => (await redis.llen(queue)) === 0);
  });

  it('never sends a write again', async () => {
    fakeTimeouts();
    const request = clients
      .of('activity')
      .call('activities.list', list, { timeoutMs: 600 })
      .catch((error: unknown) => error);
    expect((await take())?.pattern).toBe('activities.list');
    jest.advanceTimersByTime(599);
    expect(await nextPattern()).toBe('health.check');
    jest.advanceTimersByTime(1);
    const error = (await request) as DomainError;
    expect(error.kind.code).toBe('service.no-answer');
    expect(await nextPattern()).toBe('health.check');
  });

  it('never sends a rejected request again', async () => {
    await redis.del('rq:{activity}:live');
    const retries = await countOf('rq_client_retries_total');
    fakeTimeouts();
    const error = await clients
      .of('activity')
      .call('health.check', {}, { timeoutMs: 300 })
      .catch((reason: unknown) => reason);
    expect((error as DomainError).status).toBe(503);
    await redis.set('rq:{activity}:live', 100);
    jest.advanceTimersByTime(400);
    expect([await nextPattern(), await countOf('rq_client_retries_total')]).toEqual(['health.check', retries]);
  });

  it('limits the open requests of each service', async () => {
    const small = await openQueueClients({
      app: 'gateway',
      redisUrl,
      services: ['activity'],
      maxInFlight: 2,
      registry: new Registry(),
    });
    const abort = new AbortController();
    const open = [1, 2].map(() => small.of('activity').call('activities.list', list, { signal: abort.signal }));
    const third = await small
      .of('activity')
      .call('activities.list', list)
      .catch((reason: unknown) => reason);
    expect((third as DomainError).kind.code).toBe('service.overloaded');
    abort.abort();
    await Promise.allSettled(open);
    await small.close();
  });

  it('sends the requests of one tick with one command', async () => {
    const sent = jest.spyOn(Redis.prototype, 'sendCommand');
    const abort = new AbortController();
    const request = Array.from({ length: 50 }, () =>
      clients.of('activity').call('activities.list', list, { signal: abort.signal }),
    );
    await eventually('all requests wait', async () => (await redis.llen(queue)) === 50);
    const pushes = sent.mock.calls.filter(([{ name, args }]) => /^eval/.test(name) && args.includes(queue));
    sent.mockRestore();
    abort.abort();
    await Promise.allSettled(request);
    expect(pushes).toHaveLength(1);
  });

  it('names service and message of a reply that does not match its schema', async () => {
    const request = clients
      .of('activity')
      .call('health.check', {})
      .catch((error: unknown) => error);
    const frame = (await take())!;
    await redis.rpush(frame.replyKey, replyTo(frame, '{"status":"tired"}'));
    expect(String(await request)).toContain('activity: the reply to health.check does not match its schema');
  });
});

describe('a client with a reply cache', () => {
  let caching: QueueClients;

  beforeAll(async () => {
    caching = await openQueueClients({
      app: 'gateway',
      redisUrl,
      services: ['activity'],
      cacheBytes: 100_000,
      registry: new Registry(),
    });
  });
  afterAll(() => caching.close());

  type Reply = { status?: number; etag?: string; body?: string };
  const exchange = async (viewerId: number, { status = 200, etag, body = '' }: Reply) => {
    const request = caching.of('activity').request('activities.unreads', { viewerId });
    const { replyKey, correlation, headers } = (await take())!;
    const frame = { flags: 0, correlation, status, headers: { ...(etag && { etag }), 'x-next-offset': '20' } };
    await redis.rpush(replyKey, encodeReply({ ...frame, body: Buffer.from(body) }));
    const reply = await request;
    return {
      ifNoneMatch: headers.ifNoneMatch,
      status: reply.status,
      body: reply.body.toString(),
      headers: reply.headers,
    };
  };

  it('sends the entity tag of the cached body and returns the body after 304', async () => {
    const headers = { etag: '"a"', 'x-next-offset': '20' };
    const first = await exchange(1, { etag: '"a"', body: 'first' });
    expect(first).toEqual({ ifNoneMatch: undefined, status: 200, body: 'first', headers });
    // The reply to another viewer may be the same, which the service decides
    const second = await exchange(2, { status: 304, etag: '"a"' });
    expect(second).toEqual({ ifNoneMatch: '"a"', status: 200, body: 'first', headers });
    const third = await exchange(1, { etag: '"b"', body: 'second' });
    expect([third.ifNoneMatch, third.body]).toEqual(['"a"', 'second']);
    expect((await exchange(1, { status: 304, etag: '"b"' })).body).toBe('second');
  });

  it('returns the body of the service when it differs from the cached body', async () => {
    await exchange(1, { etag: '"shared"', body: 'for all' });
    expect((await exchange(2, { etag: '"own"', body: 'for one' })).body).toBe('for one');
    expect((await exchange(1, { etag: '"shared"', body: 'for all' })).body).toBe('for all');
  });

  it('does not cache a body larger than the cache', async () => {
    await exchange(1, { etag: '"large"', body: 'x'.repeat(100_000) });
    expect((await exchange(1, { etag: '"small"', body: 'x' })).ifNoneMatch).toBeUndefined();
  });

  it('caches no reply without a tag and none with another status than 200', async () => {
    await exchange(1, { etag: '"before"', body: 'before' });
    await exchange(1, { body: 'now' });
    await exchange(1, { status: 404, etag: '"none"', body: 'none' });
    expect((await exchange(1, { etag: '"x"', body: 'x' })).ifNoneMatch).toBe('"before"');
  });
});

describe('a client of a service that validates cached replies', () => {
  const catalogQueue = 'rq:{catalog}:q';
  let caching: QueueClients;

  beforeEach(async () => {
    await redis.set('rq:{catalog}:live', 100);
    const options = { app: 'gateway', redisUrl, services: ['catalog'], cacheBytes: 100_000 } as const;
    caching = await openQueueClients({ ...options, registry: new Registry() });
  });
  afterEach(() => caching.close());

  const takeFrom = async (): Promise<RequestFrame> => decodeRequest((await redis.blpopBuffer(catalogQueue, 5))![1])!;
  const get = (viewerId: number) => caching.of('catalog').request('products.get', { viewerId, productId: 1 });
  const validity = 'any 7';
  const push = (
    { replyKey, correlation }: RequestFrame,
    body: string,
    more: { status?: number; validity?: string },
  ) => {
    const headers = { etag: '"a"', 'x-next-offset': '20', ...(more.validity && { validity: more.validity }) };
    const frame = { flags: 0, correlation, status: more.status ?? 200, headers, body: Buffer.from(body) };
    return redis.rpush(replyKey, encodeReply(frame));
  };
  const answer = (frame: RequestFrame, valid: boolean[]) =>
    redis.rpush(frame.replyKey, replyTo(frame, JSON.stringify({ valid })));

  /** Gets a first reply, which is cached. */
  async function cacheReply(): Promise<void> {
    const request = get(1);
    const frame = await takeFrom();
    expect(frame.headers['wantsValidity']).toBe('1');
    await push(frame, 'first', { validity });
    expect((await request).headers).toEqual({ etag: '"a"', 'x-next-offset': '20' });
  }

  it('sends one message for all requests that wait, and returns the cached replies', async () => {
    await cacheReply();
    const requests = [1, 1, 2, 3, 1].map(get);
    const frame = await takeFrom();
    expect(frame.pattern).toBe('replies.validate');
    const replies = [1, 2, 3].map((viewerId) => ({ validity, viewerId }));
    expect(JSON.parse(frame.payload.toString())).toEqual({ replies });
    await answer(frame, [true, true, true]);
    for (const { status, body, headers } of await Promise.all(requests)) {
      expect([status, String(body)]).toEqual([200, 'first']);
      expect(headers).toEqual({ etag: '"a"', 'x-next-offset': '20' });
    }
    expect(await redis.llen(catalogQueue)).toBe(0);
  });

  it('keeps a reply for each viewer of a message whose replies differ by viewer', async () => {
    const list = (viewerId: number) =>
      caching.of('catalog').request('materials.list', { viewerId, limit: 20, offset: 0 });
    for (const viewerId of [1, 2]) {
      const request = list(viewerId);
      const frame = await takeFrom();
      expect([frame.pattern, frame.headers['ifNoneMatch']]).toEqual(['materials.list', undefined]);
      const headers = { etag: `"${viewerId}"`, validity: `viewer ${viewerId}` };
      const reply = {
        flags: 0,
        correlation: frame.correlation,
        status: 200,
        headers,
        body: Buffer.from(`${viewerId}`),
      };
      await redis.rpush(frame.replyKey, encodeReply(reply));
      await request;
    }
    const requests = [list(1), list(2)];
    await answer(await takeFrom(), [true, true]);
    expect((await Promise.all(requests)).map(({ body }) => String(body))).toEqual(['1', '2']);
  });

  it('does not answer a request by a message that was sent before it', async () => {
    await cacheReply();
    const early = get(1);
    const first = await takeFrom();
    const late = get(1);
    await answer(first, [true]);
    await early;
    const second = await takeFrom();
    expect(second.pattern).toBe('replies.validate');
    await answer(second, [true]);
    expect(String((await late).body)).toBe('first');
  });

  it('sends the request with its entity tag when the reply is not valid any more', async () => {
    await cacheReply();
    const request = get(1);
    await answer(await takeFrom(), [false]);
    const frame = await takeFrom();
    expect([frame.pattern, frame.headers['ifNoneMatch']]).toEqual(['products.get', '"a"']);
    await push(frame, '', { status: 304, validity: 'any 8' });
    expect(String((await request).body)).toBe('first');
    // The next message has the new validity
    const next = get(1);
    const validation = await takeFrom();
    expect(JSON.parse(validation.payload.toString())).toEqual({ replies: [{ validity: 'any 8', viewerId: 1 }] });
    await answer(validation, [true]);
    expect(String((await next).body)).toBe('first');
  });

  it('sends requests directly after a failure of the validation', async () => {
    await cacheReply();
    const request = get(1);
    const { replyKey, correlation } = await takeFrom();
    const body = Buffer.from('{"code":"service.unavailable","status":503,"title":"Unavailable"}');
    await redis.rpush(replyKey, encodeReply({ flags: 4, correlation, status: 503, headers: {}, body }));
    for (const pending of [request, undefined]) {
      const sent = pending ?? get(1);
      const frame = await takeFrom();
      expect([frame.pattern, frame.headers['ifNoneMatch']]).toEqual(['products.get', '"a"']);
      await push(frame, '', { status: 304, validity });
      expect(String((await sent).body)).toBe('first');
    }
  });

  it('sends the request when the validation takes long', async () => {
    await cacheReply();
    const request = get(1);
    expect((await takeFrom()).pattern).toBe('replies.validate');
    const frame = await takeFrom();
    expect(frame.pattern).toBe('products.get');
    await push(frame, '', { status: 304, validity });
    expect(String((await request).body)).toBe('first');
  });

  it('keeps the reply that others may get when a viewer gets another one', async () => {
    await cacheReply();
    const own = get(2);
    await answer(await takeFrom(), [false]);
    const { replyKey, correlation } = await takeFrom();
    const headers = { etag: '"own"' };
    await redis.rpush(replyKey, encodeReply({ flags: 0, correlation, status: 200, headers, body: Buffer.from('own') }));
    expect(String((await own).body)).toBe('own');
    const others = get(1);
    await answer(await takeFrom(), [true]);
    expect(String((await others).body)).toBe('first');
  });
});
