import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { register, Registry } from 'prom-client';
import { DomainError } from '#kernel';
import { testRedisUrl } from '#testing';
import { decodeReply, encodeRequest, frameFlags } from './wire/frames.js';
import { openQueueClients, QueueServer, runInCall, type QueueClients, type QueueLog } from './index.js';
import { Journal } from './testing/journal.js';
import { startReplicaHere, troubles } from './testing/replica.js';

const redisUrl = testRedisUrl();
const journal = new Journal();
const logged: { level: string; fields: object; text: string }[] = [];
const note = (level: string) => (fields: object, text: string) => void logged.push({ level, fields, text });
const log: QueueLog = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
const queue = 'rq:{activity}:q';

let replica: Awaited<ReturnType<typeof startReplicaHere>>;
let clients: QueueClients;
let redis: Redis;
const registry = new Registry();

beforeAll(async () => {
  redis = new Redis(redisUrl);
  replica = await startReplicaHere({ redisUrl, journal: journal.path }, log);
  clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['activity', 'social'], registry });
});

afterAll(async () => {
  await clients.close();
  await replica.app.close();
  journal.remove();
  redis.disconnect();
});

async function counted(from: Registry, name: string, labels: Record<string, string> = {}): Promise<number> {
  const metric = await from.getSingleMetric(name)!.get();
  const fits = (of: Partial<Record<string, string | number>>) =>
    Object.entries(labels).every(([label, value]) => of[label] === value);
  return metric.values.filter((value) => fits(value.labels)).reduce((sum, { value }) => sum + value, 0);
}

const thrown = async (asked: Promise<unknown>): Promise<DomainError> => {
  const error: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DomainError);
  return error as DomainError;
};

describe('a request', () => {
  it('is answered by the handler of its message, parsed', async () => {
    expect(await clients.of('activity').call('health.check', {})).toEqual({ status: 'ok' });
  });

  it('passes the bytes, status and headers of a raw reply through', async () => {
    const reply = await clients.of('activity').request('activities.unreads', { viewerId: troubles.headers });
    expect({ ...reply, body: reply.body.toString() }).toEqual({
      status: 203,
      headers: { etag: '"e"' },
      body: '{"unreads": 7}',
      isProblem: false,
    });
  });

  it('can be sent as with any client of Nest', async () => {
    expect(await firstValueFrom(clients.of('activity').send('health.check', {}))).toEqual({ status: 'ok' });
  });

  it('hands the deadline of the call it is made in on', async () => {
    const ask = () => clients.of('activity').call('activities.unreads', { viewerId: 1 }, { timeoutMs: 60_000 });
    expect((await ask()).unreads).toBeGreaterThan(20_000);
    const { unreads: remaining } = await runInCall({ requestId: 'r', timeoutMs: 20_000 }, ask);
    expect(remaining).toBeGreaterThan(1_000);
    expect(remaining).toBeLessThanOrEqual(20_000);
  });

  it('is refused before it is sent when the call has no time left', async () => {
    const asked = runInCall({ requestId: 'r', timeoutMs: 0 }, () => clients.of('activity').call('health.check', {}));
    expect((await thrown(asked)).kind.code).toBe('service.no-answer');
  });

  it('of more than 256 KB is refused with 413', async () => {
    const huge = { viewerId: 1, limit: 1, language: 'x'.repeat(256 * 1024) as 'en' };
    expect((await thrown(clients.of('activity').call('activities.list', huge))).status).toBe(413);
  });

  it('with a payload of another shape is refused before the handler, with every fault', async () => {
    const before = journal.numbers().length;
    const payload = { viewerId: 'one', limit: 1.5, language: 'fr' } as unknown as {
      viewerId: 1;
      limit: 1;
      language: 'en';
    };
    const error = await thrown(clients.of('activity').call('activities.list', payload));
    expect(error.kind.code).toBe('request.invalid');
    expect(error.errors?.map(({ path }) => path)).toEqual(['viewerId', 'limit', 'language']);
    expect(journal.numbers().length).toBe(before);
  });
});

describe('a failing handler', () => {
  const ask = (viewerId: number) => clients.of('activity').call('activities.unreads', { viewerId });

  it('that throws a DomainError gives the caller the same one, with its headers', async () => {
    const error = await thrown(ask(troubles.refused));
    expect([error.kind.code, error.status, error.detail]).toEqual(['user.not-found', 404, 'Nobody has this number.']);
    expect(error.headers).toEqual({ 'x-why': 'test' });
  });

  it('that throws anything else gives 500 without its text, and a log line with the request id', async () => {
    const error = await thrown(runInCall({ requestId: 'request-7' }, () => ask(troubles.defect)));
    expect(error.kind.code).toBe('service.failed');
    expect(JSON.stringify(error.body())).not.toContain('swordfish');
    const line = logged.find(
      ({ level, fields }) => level === 'error' && 'requestId' in fields && fields.requestId === 'request-7',
    );
    expect(line?.text).toBe('a handler failed');
  });

  it('that throws an HttpException of Nest keeps its status', async () => {
    const error = await thrown(ask(troubles.conflict));
    expect([error.status, error.detail]).toEqual([409, 'Somebody was faster.']);
  });

  it('that answers more than 8 MB gives 500, and the log says how much it was', async () => {
    expect((await thrown(ask(troubles.tooLarge))).kind.code).toBe('service.failed');
    expect(
      logged.some(({ fields }) => String((fields as { err?: Error }).err?.message).includes('8400002 bytes')),
    ).toBe(true);
  });
});

describe('what is not a request', () => {
  it('is counted and dropped, and the next request is served', async () => {
    const before = await counted(register, 'rq_bad_frames_total', { side: 'server' });
    const foreign = { flags: 0, correlation: 1, deadline: 9e15, ttl: 1, headers: {}, payload: Buffer.from('{}') };
    await redis.rpush(
      queue,
      'x',
      Buffer.alloc(300),
      encodeRequest({ ...foreign, replyKey: 'of:somebody:else', pattern: 'health.check' }),
    );
    expect(await clients.of('activity').call('health.check', {})).toEqual({ status: 'ok' });
    expect(await counted(register, 'rq_bad_frames_total', { side: 'server' })).toBe(before + 3);
    expect(await redis.exists('of:somebody:else')).toBe(0);
  });

  it('does not reach a handler after its deadline', async () => {
    const replyKey = 'rq:{gateway-00000000000000ff}:r';
    const before = await counted(register, 'rq_server_expired_total');
    const payload = Buffer.from('{"viewerId":-77,"limit":1,"language":"en"}');
    const late = { flags: 0, correlation: 1, deadline: Date.now() - 60_000, ttl: 1, headers: {} };
    await redis.rpush(queue, encodeRequest({ ...late, replyKey, pattern: 'activities.list', payload }));
    // The replica measures its clock before it replies
    const { status, flags } = decodeReply((await redis.blpopBuffer(replyKey, 5))![1])!;
    expect(await counted(register, 'rq_server_expired_total')).toBe(before + 1);
    expect(journal.numbers()).not.toContain(-77);
    expect([status, flags]).toEqual([503, frameFlags.problem | frameFlags.late]);
  });

  it('is answered with 503 when the service does not know the message yet', async () => {
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

describe('a clock that was measured badly', () => {
  it('leaves a request no more time than its caller gave it', async () => {
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

describe('an answer that the caller knows', () => {
  const replyKey = 'rq:{gateway-00000000000000fd}:r';
  const answerTo = async (viewerId: number, known: string) => {
    const frame = { flags: 0, correlation: 1, deadline: Date.now() + 60_000, ttl: 60_000, headers: { known } };
    const payload = Buffer.from(JSON.stringify({ viewerId }));
    await redis.rpush(queue, encodeRequest({ ...frame, replyKey, pattern: 'activities.unreads', payload }));
    const { status, headers, body } = decodeReply((await redis.blpopBuffer(replyKey, 5))![1])!;
    return { status, headers, body: body.toString() };
  };
  const headers = { etag: '"e"', 'x-next-offset': '20' };

  it('does not travel again', async () => {
    expect(await answerTo(troubles.tagged, '"e"')).toEqual({ status: 304, headers, body: '' });
  });

  it('travels when it is another one, or none that can be known', async () => {
    expect(await answerTo(troubles.tagged, '"d"')).toEqual({ status: 200, headers, body: '{"unreads": 7}' });
    expect((await answerTo(troubles.headers, '"e"')).status).toBe(203);
    expect((await answerTo(troubles.refused, '"e"')).status).toBe(404);
  });
});

describe('refusing early', () => {
  it('answers 503 at once, and not at its deadline, when no replica is up', async () => {
    const ask = () => thrown(clients.of('social').call('health.check', {}, { timeoutMs: 50_000 }));
    await ask();
    const startedAt = performance.now();
    const error = await ask();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect([error.kind.code, error.headers['Retry-After']]).toEqual(['service.unavailable', '1']);
    expect(await counted(registry, 'rq_client_rejected_total', { reason: 'nolive' })).toBe(2);
    expect(await redis.exists('rq:{social}:q')).toBe(0);
  });

  it('stops the start of a service whose handlers do not fit its messages', async () => {
    const server = new QueueServer({ service: 'activity', redisUrl });
    server.addHandler('health.check', () => Promise.resolve());
    server.addHandler('activities.sing', () => Promise.resolve());
    const error = await new Promise<unknown>((resolve) => server.listen(resolve));
    expect(String(error)).toContain('no handler for "activities.list"');
    expect(String(error)).toContain('a handler for "activities.sing"');
    await sleep(0);
  });
});
