import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { register, Registry } from 'prom-client';
import { DomainError } from '#kernel';
import { testRedisUrl } from '#testing';
import { decodeReply, encodeRequest, frameFlags } from './wire/frames.js';
import { openQueueClients, QueueServer, runInCall, type QueueClients, type QueueLog } from './index.js';
import { Journal } from './testing/journal.js';
import { startLocalReplica, specialViewers } from './testing/replica.js';

const redisUrl = testRedisUrl();
const journal = new Journal();
const logged: { level: string; fields: object; text: string }[] = [];
const record = (level: string) => (fields: object, text: string) => void logged.push({ level, fields, text });
const log: QueueLog = { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
const queue = 'rq:{activity}:q';

let replica: Awaited<ReturnType<typeof startLocalReplica>>;
let clients: QueueClients;
let redis: Redis;
const registry = new Registry();

beforeAll(async () => {
  redis = new Redis(redisUrl);
  replica = await startLocalReplica({ redisUrl, journal: journal.path }, log);
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['activity', 'social'], registry });
});

afterAll(async () => {
  await clients.close();
  await replica.app.close();
  journal.remove();
  redis.disconnect();
});

async function countOf(from: Registry, name: string, labels: Record<string, string> = {}): Promise<number> {
  const metric = await from.getSingleMetric(name)!.get();
  const matches = (found: Partial<Record<string, string | number>>) =>
    Object.entries(labels).every(([label, value]) => found[label] === value);
  return metric.values.filter((value) => matches(value.labels)).reduce((sum, { value }) => sum + value, 0);
}

const errorOf = async (request: Promise<unknown>): Promise<DomainError> => {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DomainError);
  return error as DomainError;
};

describe('a request', () => {
  it('returns the parsed reply of its handler', async () => {
    expect(await clients.of('activity').call('health.check', {})).toEqual({ status: 'ok' });
  });

  it('returns bytes, status and headers of a raw reply unchanged', async () => {
    const reply = await clients.of('activity').request('activities.unreads', { viewerId: specialViewers.headers });
    expect({ ...reply, body: reply.body.toString() }).toEqual({
      status: 203,
      headers: { etag: '"e"' },
      body: '{"unreads": 7}',
      isProblem: false,
    });
  });

  it('can be sent with `send` of Nest clients', async () => {
    expect(await firstValueFrom(clients.of('activity').send('health.check', {}))).toEqual({ status: 'ok' });
  });

  it('inherits the deadline of the current call', async () => {
    const read = () => clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 60_000 });
    expect((await read()).unreads).toBeGreaterThan(20_000);
    const { unreads: remaining } = await runInCall({ requestId: 'r', timeoutMs: 20_000 }, read);
    expect(remaining).toBeGreaterThan(1_000);
    expect(remaining).toBeLessThanOrEqual(20_000);
  });

  it('is rejected before it is sent when the deadline of the current call has passed', async () => {
    const request = runInCall({ requestId: 'r', timeoutMs: 0 }, () => clients.of('activity').call('health.check', {}));
    expect((await errorOf(request)).kind.code).toBe('service.no-answer');
  });

  it('of more than 256 KB is rejected with 413', async () => {
    const huge = { viewerId: 1, limit: 1, language: 'x'.repeat(256 * 1024) as 'en' };
    expect((await errorOf(clients.of('activity').call('activities.list', huge))).status).toBe(413);
  });

  it('with an invalid payload is rejected before the handler, with all field errors', async () => {
    const before = journal.numbers().length;
    const payload = { viewerId: 'one', limit: 1.5, language: 'fr' } as unknown as {
      viewerId: 1;
      limit: 1;
      language: 'en';
    };
    const error = await errorOf(clients.of('activity').call('activities.list', payload));
    expect(error.kind.code).toBe('request.invalid');
    expect(error.errors?.map(({ path }) => path)).toEqual(['viewerId', 'limit', 'language']);
    expect(journal.numbers().length).toBe(before);
  });
});

describe('a failing handler', () => {
  const read = (viewerId: number) => clients.of('activity').call('activities.unreads', { viewerId });

  it('that throws a DomainError makes the caller throw the same error, with its headers', async () => {
    const error = await errorOf(read(specialViewers.rejected));
    expect([error.kind.code, error.status, error.detail]).toEqual(['user.not-found', 404, 'No user has this id.']);
    expect(error.headers).toEqual({ 'x-why': 'test' });
  });

  it('that throws another error gives 500 without its message, and logs the request id', async () => {
    const error = await errorOf(runInCall({ requestId: 'request-7' }, () => read(specialViewers.defect)));
    expect(error.kind.code).toBe('service.failed');
    expect(JSON.stringify(error.body())).not.toContain('swordfish');
    const line = logged.find(
      ({ level, fields }) => level === 'error' && 'requestId' in fields && fields.requestId === 'request-7',
    );
    expect(line?.text).toBe('Handler failed, replied with 500');
  });

  it('that throws an HttpException of Nest gives its status and message', async () => {
    const error = await errorOf(read(specialViewers.conflict));
    expect([error.status, error.detail]).toEqual([409, 'Concurrent change.']);
  });

  it('that replies with more than 8 MB gives 500, and logs the size', async () => {
    expect((await errorOf(read(specialViewers.tooLarge))).kind.code).toBe('service.failed');
    expect(
      logged.some(({ fields }) => String((fields as { err?: Error }).err?.message).includes('8400002 bytes')),
    ).toBe(true);
  });
});

describe('an invalid or late request', () => {
  it('is counted and dropped if it is malformed, and the next request is served', async () => {
    const before = await countOf(register, 'rq_bad_frames_total', { side: 'server' });
    const foreign = { flags: 0, correlation: 1, deadline: 9e15, ttl: 1, headers: {}, payload: Buffer.from('{}') };
    await redis.rpush(
      queue,
      'x',
      Buffer.alloc(300),
      encodeRequest({ ...foreign, replyKey: 'foreign:key', pattern: 'health.check' }),
    );
    expect(await clients.of('activity').call('health.check', {})).toEqual({ status: 'ok' });
    expect(await countOf(register, 'rq_bad_frames_total', { side: 'server' })).toBe(before + 3);
    expect(await redis.exists('foreign:key')).toBe(0);
  });

  it('is not executed after its deadline', async () => {
    const replyKey = 'rq:{gateway-00000000000000ff}:r';
    const before = await countOf(register, 'rq_server_expired_total');
    const payload = Buffer.from('{"viewerId":-77,"limit":1,"language":"en"}');
    const late = { flags: 0, correlation: 1, deadline: Date.now() - 60_000, ttl: 1, headers: {} };
    await redis.rpush(queue, encodeRequest({ ...late, replyKey, pattern: 'activities.list', payload }));
    // The replica measures the clock of Redis before it replies
    const { status, flags } = decodeReply((await redis.blpopBuffer(replyKey, 5))![1])!;
    expect(await countOf(register, 'rq_server_expired_total')).toBe(before + 1);
    expect(journal.numbers()).not.toContain(-77);
    expect([status, flags]).toEqual([503, frameFlags.problem | frameFlags.late]);
  });

  it('gets 503 if the service does not have the message', async () => {
    const replyKey = 'rq:{gateway-00000000000000fe}:r';
    const frame = { flags: 0, correlation: 1, deadline: Date.now() + 60_000, ttl: 60_000, headers: {} };
    await redis.rpush(
      queue,
      encodeRequest({ ...frame, replyKey, pattern: 'activities.sing', payload: Buffer.from('{}') }),
    );
    const popped = await redis.blpop(replyKey, 5);
    expect(popped?.[1]).toContain('"code":"service.unavailable"');
  });
});

describe('an inexact clock', () => {
  it('does not extend the timeout of the caller', async () => {
    const replyKey = 'rq:{gateway-00000000000000fc}:r';
    const frame = { flags: 0, correlation: 1, deadline: Date.now() + 60_000, ttl: 20_000, headers: {} };
    const payload = Buffer.from('{"viewerId":1}');
    await redis.rpush(queue, encodeRequest({ ...frame, replyKey, pattern: 'activities.unreads', payload }));
    const { body } = decodeReply((await redis.blpopBuffer(replyKey, 5))![1])!;
    const { unreads: remaining } = JSON.parse(body.toString()) as { unreads: number };
    expect(remaining).toBeGreaterThan(1_000);
    expect(remaining).toBeLessThanOrEqual(20_000);
  });
});

describe('a reply that the caller has cached', () => {
  const replyKey = 'rq:{gateway-00000000000000fd}:r';
  const replyTo = async (viewerId: number, ifNoneMatch: string, more: Record<string, string> = {}) => {
    const times = { deadline: Date.now() + 60_000, ttl: 60_000 };
    const frame = { flags: 0, correlation: 1, ...times, headers: { ifNoneMatch, ...more } };
    const payload = Buffer.from(JSON.stringify({ viewerId }));
    await redis.rpush(queue, encodeRequest({ ...frame, replyKey, pattern: 'activities.unreads', payload }));
    const { status, headers, body } = decodeReply((await redis.blpopBuffer(replyKey, 5))![1])!;
    return { status, headers, body: body.toString() };
  };
  const headers = { etag: '"e"', 'x-next-offset': '20' };

  it('is sent as 304 without its body', async () => {
    expect(await replyTo(specialViewers.tagged, '"e"')).toEqual({ status: 304, headers, body: '' });
  });

  it('has its validity only for a caller that reads it', async () => {
    const valid = await replyTo(specialViewers.tagged, '"e"', { wantsValidity: '1' });
    expect(valid.headers).toEqual({ ...headers, validity: 'any 7' });
    expect((await replyTo(specialViewers.tagged, '"e"')).headers).toEqual(headers);
  });

  it('is sent with its body if the tag differs or the status is not 200', async () => {
    expect(await replyTo(specialViewers.tagged, '"d"')).toEqual({ status: 200, headers, body: '{"unreads": 7}' });
    expect((await replyTo(specialViewers.headers, '"e"')).status).toBe(203);
    expect((await replyTo(specialViewers.rejected, '"e"')).status).toBe(404);
  });
});

describe('early rejections', () => {
  it('give 503 immediately instead of at the deadline when no replica is up', async () => {
    const request = () => errorOf(clients.of('social').call('health.check', {}, { timeoutMs: 50_000 }));
    await request();
    const startedAt = performance.now();
    const error = await request();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect([error.kind.code, error.headers['Retry-After']]).toEqual(['service.unavailable', '1']);
    expect(await countOf(registry, 'rq_client_rejected_total', { reason: 'nolive' })).toBe(2);
    expect(await redis.exists('rq:{social}:q')).toBe(0);
  });

  it('prevent the start of a service whose handlers do not match its messages', async () => {
    const server = new QueueServer({ service: 'activity', redisUrl });
    server.addHandler('health.check', () => Promise.resolve());
    server.addHandler('activities.sing', () => Promise.resolve());
    const error = await new Promise<unknown>((resolve) => server.listen(resolve));
    expect(String(error)).toContain('no handler for "activities.list"');
    expect(String(error)).toContain('a handler for "activities.sing"');
    await sleep(0);
  });
});
