import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { type DomainError } from '#kernel';
import { eventually, testRedisUrl } from '#testing';
import { decodeRequest, encodeReply, type RequestFrame } from '../wire/frames.js';
import { openQueueClients, runInCall, type QueueClients } from '../index.js';
import { holdTimeouts } from '../testing/held-timeouts.js';

const redisUrl = testRedisUrl();
const queue = 'rq:{activity}:q';
const registry = new Registry();
let redis: Redis;
let clients: QueueClients;

// The test itself is the service: it sets the live marker, takes frames and answers as it likes
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
/** What is sent next, when this question is the next one: what was sent before it comes before it. */
async function nextSent(): Promise<string | undefined> {
  const giveUp = new AbortController();
  const asked = clients
    .of('activity')
    .call('health.check', {}, { signal: giveUp.signal })
    .catch(() => undefined);
  const frame = await take();
  giveUp.abort();
  await asked;
  return frame?.pattern;
}

async function counted(name: string): Promise<number> {
  return (await registry.getSingleMetric(name)!.get()).values.reduce((sum, { value }) => sum + value, 0);
}

const ok = '{"status":"ok"}';
const list = { viewerId: 1, limit: 1, language: 'en' } as const;

describe('the client', () => {
  it('sends request id and trace context of the call it is made in', async () => {
    const metadata = { requestId: 'r-1', traceparent: '00-aa-bb-01' };
    const asked = runInCall(metadata, () => clients.of('activity').call('health.check', {}));
    const frame = await take();
    expect(frame?.headers).toEqual(metadata);
    expect(frame?.payload.toString()).toBe('{}');
    await redis.rpush(frame!.replyKey, replyTo(frame!, ok));
    expect(await asked).toEqual({ status: 'ok' });
  });

  it('counts and drops garbage and replies that nobody waits for', async () => {
    const asked = clients.of('activity').call('health.check', {});
    const frame = (await take())!;
    await redis.rpush(frame.replyKey, 'garbage', replyTo({ ...frame, correlation: 999_999 }, ok), replyTo(frame, ok));
    expect(await asked).toEqual({ status: 'ok' });
    await redis.rpush(frame.replyKey, replyTo(frame, ok));
    await eventually('the second reply is late', async () => (await counted('rq_client_late_replies_total')) === 2);
    expect(await counted('rq_bad_frames_total')).toBe(1);
  });

  it('takes no reply from a service that was not sent the request', async () => {
    const before = clients.of('activity').call('health.check', {});
    const own = (await take())!;
    await redis.rpush(own.replyKey, replyTo(own, ok));
    await before;
    const asked = clients.of('activity').call('activities.unreads', { viewerId: 1 });
    const frame = (await take())!;
    const guess = (_: unknown, n: number) => replyTo({ ...own, correlation: own.correlation + n }, '{"unreads":9}');
    await redis.rpush(frame.replyKey, ...Array.from({ length: 100 }, guess), replyTo(frame, '{"unreads":2}'));
    expect(await asked).toEqual({ unreads: 2 });
  });

  it('asks a safe message once more when the first replica does not answer, and takes what is left over away', async () => {
    holdTimeouts();
    const asked = clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 2_000 });
    const first = (await take())!;
    jest.advanceTimersByTime(1_000);
    const second = (await take())!;
    expect(second.correlation).not.toBe(first.correlation);
    // The same moment, but for the error of a sum
    expect(second.deadline).toBeCloseTo(first.deadline, 1);
    await redis.rpush(second.replyKey, replyTo(second, '{"unreads":2}'));
    expect(await asked).toEqual({ unreads: 2 });
    await redis.rpush(first.replyKey, replyTo(first, '{"unreads":1}'));
  });

  it('takes the second try away when the first one is answered late', async () => {
    holdTimeouts();
    const asked = clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 1_000 });
    const first = (await take())!;
    jest.advanceTimersByTime(500);
    await eventually('the second try waits', async () => (await redis.llen(queue)) === 1);
    await redis.rpush(first.replyKey, replyTo(first, '{"unreads":1}'));
    expect(await asked).toEqual({ unreads: 1 });
    await eventually('the second try is gone', async () => (await redis.llen(queue)) === 0);
  });

  it('never sends a write again', async () => {
    holdTimeouts();
    const asked = clients
      .of('activity')
      .call('activities.list', list, { timeoutMs: 600 })
      .catch((error: unknown) => error);
    expect((await take())?.pattern).toBe('activities.list');
    jest.advanceTimersByTime(599);
    expect(await nextSent()).toBe('health.check');
    jest.advanceTimersByTime(1);
    const error = (await asked) as DomainError;
    expect(error.kind.code).toBe('service.no-answer');
    expect(await nextSent()).toBe('health.check');
  });

  it('never sends again what was refused', async () => {
    await redis.del('rq:{activity}:live');
    const retries = await counted('rq_client_retries_total');
    holdTimeouts();
    const error = await clients
      .of('activity')
      .call('health.check', {}, { timeoutMs: 300 })
      .catch((reason: unknown) => reason);
    expect((error as DomainError).status).toBe(503);
    await redis.set('rq:{activity}:live', 100);
    jest.advanceTimersByTime(400);
    expect([await nextSent(), await counted('rq_client_retries_total')]).toEqual(['health.check', retries]);
  });

  it('keeps a limit of open requests for each service', async () => {
    const small = await openQueueClients({
      app: 'gateway',
      redisUrl,
      services: ['activity'],
      maxInFlight: 2,
      registry: new Registry(),
    });
    const giveUp = new AbortController();
    const open = [1, 2].map(() => small.of('activity').call('activities.list', list, { signal: giveUp.signal }));
    const third = await small
      .of('activity')
      .call('activities.list', list)
      .catch((reason: unknown) => reason);
    expect((third as DomainError).kind.code).toBe('service.overloaded');
    giveUp.abort();
    await Promise.allSettled(open);
    await small.close();
  });

  it('sends the requests of one turn with one command', async () => {
    const sent = jest.spyOn(Redis.prototype, 'sendCommand');
    const giveUp = new AbortController();
    const asked = Array.from({ length: 50 }, () =>
      clients.of('activity').call('activities.list', list, { signal: giveUp.signal }),
    );
    await eventually('all wait', async () => (await redis.llen(queue)) === 50);
    const pushes = sent.mock.calls.filter(([{ name, args }]) => /^eval/.test(name) && args.includes(queue));
    sent.mockRestore();
    giveUp.abort();
    await Promise.allSettled(asked);
    expect(pushes).toHaveLength(1);
  });

  it('says which service answered with another shape', async () => {
    const asked = clients
      .of('activity')
      .call('health.check', {})
      .catch((error: unknown) => error);
    const frame = (await take())!;
    await redis.rpush(frame.replyKey, replyTo(frame, '{"status":"tired"}'));
    expect(String(await asked)).toContain('activity answered health.check with another shape');
  });
});

describe('a client with memory for answers', () => {
  let remembering: QueueClients;

  beforeAll(async () => {
    remembering = await openQueueClients({
      app: 'gateway',
      redisUrl,
      services: ['activity'],
      cacheBytes: 10_000,
      registry: new Registry(),
    });
  });
  afterAll(() => remembering.close());

  type Answer = { status?: number; etag?: string; body?: string };
  const answered = async (viewerId: number, { status = 200, etag, body = '' }: Answer) => {
    const asked = remembering.of('activity').request('activities.unreads', { viewerId });
    const { replyKey, correlation, headers } = (await take())!;
    const frame = { flags: 0, correlation, status, headers: { ...(etag && { etag }), 'x-next-offset': '20' } };
    await redis.rpush(replyKey, encodeReply({ ...frame, body: Buffer.from(body) }));
    const reply = await asked;
    return { known: headers.known, status: reply.status, body: reply.body.toString(), headers: reply.headers };
  };

  it('says which answer it has, and gives it out when the service says that it still is the one', async () => {
    const headers = { etag: '"a"', 'x-next-offset': '20' };
    const first = await answered(1, { etag: '"a"', body: 'first' });
    expect(first).toEqual({ known: undefined, status: 200, body: 'first', headers });
    // Another viewer may be answered the same: the service knows
    const second = await answered(2, { status: 304, etag: '"a"' });
    expect(second).toEqual({ known: '"a"', status: 200, body: 'first', headers });
    const third = await answered(1, { etag: '"b"', body: 'second' });
    expect([third.known, third.body]).toEqual(['"a"', 'second']);
    expect((await answered(1, { status: 304, etag: '"b"' })).body).toBe('second');
  });

  it('gives out what the service sends when it is another answer, whoever was answered last', async () => {
    await answered(1, { etag: '"shared"', body: 'for all' });
    expect((await answered(2, { etag: '"own"', body: 'for one' })).body).toBe('for one');
    expect((await answered(1, { etag: '"shared"', body: 'for all' })).body).toBe('for all');
  });

  it('has forgotten what it had no room for', async () => {
    await answered(1, { etag: '"large"', body: 'x'.repeat(20_000) });
    expect((await answered(1, { etag: '"small"', body: 'x' })).known).toBeUndefined();
  });

  it('keeps no answer without a tag, and none that is no success', async () => {
    await answered(1, { etag: '"before"', body: 'before' });
    await answered(1, { body: 'now' });
    await answered(1, { status: 404, etag: '"none"', body: 'none' });
    expect((await answered(1, { etag: '"x"', body: 'x' })).known).toBe('"before"');
  });
});
