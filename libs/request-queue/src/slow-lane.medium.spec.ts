import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Payload } from '@nestjs/microservices';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { type Deferred, deferred } from '#concurrency';
import { type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { type DomainError } from '#kernel';
import { eventually, testRedisUrl } from '#testing';
import { decodeReply, encodeRequest } from './wire/frames.js';
import { handlerFor, openQueueClients, QueueProblemFilter, QueueServer } from './index.js';
import { QueueKeys } from './wire/keys.js';
import { silentLog } from './queue-log.js';

const service = 'material-rendering';
type Messages = Services[typeof service];
const Handles = handlerFor(service);
const slots = 2;
const timeoutMs = 50_000;

let closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

/** Starts a replica whose slow handlers add their user to `stored` and wait for `work`. */
async function startReplica(redisUrl: string, work: Deferred<true>) {
  const stored: number[] = [];
  @Controller()
  class ReplicaController {
    @Handles('health.check')
    health(): { status: 'ok' } {
      return { status: 'ok' };
    }

    @Handles('textures.store')
    async store(
      @Payload() { userId }: PayloadOf<Messages, 'textures.store'>,
    ): Promise<ReplyOf<Messages, 'textures.store'>> {
      stored.push(userId);
      await work.promise;
      return [];
    }

    @Handles('textures.render-text')
    renderText(): never {
      throw new Error('not used by any test');
    }

    @Handles('images.render')
    render(): { key: string } {
      return { key: 'rendered' };
    }

    @Handles('wearing-images.render')
    renderWearing(): never {
      throw new Error('not used by any test');
    }

    @Handles('images.used')
    used(): never {
      throw new Error('not used by any test');
    }

    @Handles('previews.prepare')
    preparePreview(): never {
      throw new Error('not used by any test');
    }

    @Handles('previews.render')
    renderPreview(): never {
      throw new Error('not used by any test');
    }

    @Handles('preflight.measure')
    preflight(): never {
      throw new Error('not used by any test');
    }

    @Handles('productions.list')
    listProductions(): never {
      throw new Error('not used by any test');
    }

    @Handles('productions.show')
    showProduction(): never {
      throw new Error('not used by any test');
    }

    @Handles('productions.retry')
    retryProduction(): never {
      throw new Error('not used by any test');
    }

    @Handles('print-files.request')
    requestPrintFiles(): never {
      throw new Error('not used by any test');
    }

    @Handles('print-files.status')
    printFiles(): never {
      throw new Error('not used by any test');
    }

    @Handles('external-images.store')
    storeExternalImage(): never {
      throw new Error('not used by any test');
    }
  }
  @Module({ controllers: [ReplicaController] })
  class ReplicaModule {}
  const server = new QueueServer({ service, redisUrl, slots });
  const app = await NestFactory.createMicroservice(ReplicaModule, { strategy: server, logger: false });
  app.useGlobalFilters(new QueueProblemFilter(silentLog));
  await app.listen();
  const close = async (): Promise<void> => {
    const closed = app.close();
    await eventually('it takes no more requests', () => !server.alive);
    work.resolve(true);
    await closed;
  };
  closing.push(close);
  return { stored, close };
}

async function setUp() {
  const redisUrl = testRedisUrl();
  const redis = new Redis(redisUrl);
  const clients = await openQueueClients({ app: 'gateway', redisUrl, services: [service], registry: new Registry() });
  closing.push(
    () => redis.disconnect(),
    () => clients.close(),
  );
  const sources = [{ kind: 'url' as const, url: 'https://slow.example.com' }];
  return {
    redisUrl,
    redis,
    waitingCount: (): Promise<number> => redis.llen(new QueueKeys().requests(service, 'slow')),
    store: (userId: number, limitMs = timeoutMs): Promise<unknown> =>
      clients
        .of(service)
        .call('textures.store', { userId, sources }, { timeoutMs: limitMs })
        .then(
          () => 'stored',
          (error: unknown) => {
            const { status, kind, headers } = error as DomainError;
            return [status, kind.code, headers['Retry-After']];
          },
        ),
    render: () => clients.of(service).call('images.render', image, { timeoutMs }),
  };
}

const image = {
  width: 1,
  height: 1,
  itemName: 'mug',
  size: 'm',
  color: 'white',
  angle: null,
  materialId: 1,
  filePath: 'x',
  adjustment: null,
  format: 'webp' as const,
  printed: true,
};
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

it('serves usual requests immediately while 50 slow requests are open, which all succeed', async () => {
  const { redisUrl, store, render, waitingCount } = await setUp();
  const work = deferred<true>();
  const { stored } = await startReplica(redisUrl, work);
  const slow = numbers(50).map((number) => store(number));
  await eventually(
    'all slow slots are acquired',
    async () => stored.length === slots && (await waitingCount()) === 50 - slots,
  );
  expect(await Promise.all(numbers(20).map(render))).toEqual(Array.from({ length: 20 }, () => ({ key: 'rendered' })));
  expect(stored).toHaveLength(slots);
  work.resolve(true);
  expect(await Promise.all(slow)).toEqual(Array.from({ length: 50 }, () => 'stored'));
  expect(stored.sort((a, b) => a - b)).toEqual(numbers(50));
});

it('rejects a slow request that has waited for half of its timeout while no slot was free', async () => {
  const { redisUrl, store, waitingCount } = await setUp();
  const { stored } = await startReplica(redisUrl, deferred<true>());
  const running = numbers(slots).map((number) => store(number));
  await eventually('all slow slots are acquired', () => stored.length === slots);
  // The rejection is due 4 s before the timeout
  expect(await store(99, 8_000)).toEqual([503, 'service.overloaded', '1']);
  expect([stored, await waitingCount()]).toEqual([numbers(slots), 0]);
  expect(running).toHaveLength(slots);
});

it('does not take waiting slow requests beyond its slots, also when it closes', async () => {
  const { redisUrl, store, waitingCount } = await setUp();
  const work = deferred<true>();
  const first = await startReplica(redisUrl, work);
  const slow = numbers(5).map((number) => store(number));
  await eventually('all slow slots are acquired', () => first.stored.length === slots);
  const second = await startReplica(redisUrl, deferred<true>());
  await eventually('the other replica has acquired its slots', () => second.stored.length === slots);
  expect(await waitingCount()).toBe(1);
  await first.close();
  expect(await Promise.all(slow.slice(0, slots))).toEqual(['stored', 'stored']);
  expect(await waitingCount()).toBe(1);
});

describe('beside the previous version', () => {
  it('a caller sends slow requests to the usual list when no replica serves the slow list', async () => {
    const { redis, store } = await setUp();
    const keys = new QueueKeys();
    await redis.set(keys.live(service), 100, 'EX', 60);
    void store(1);
    expect((await redis.blpop(keys.requests(service), 20))![1]).toContain('textures.store');
  });

  it('a replica serves slow requests of the usual list', async () => {
    const { redis, redisUrl } = await setUp();
    const work = deferred<true>();
    work.resolve(true);
    await startReplica(redisUrl, work);
    const replyKey = 'rq:{gateway-00000000000000fb}:r';
    const payload = Buffer.from(JSON.stringify({ sources: [{ kind: 'url', url: 'https://slow.example.com' }] }));
    const frame = { flags: 0, correlation: 1, deadline: Date.now() + timeoutMs, ttl: timeoutMs, headers: {}, payload };
    await redis.rpush(
      new QueueKeys().requests(service),
      encodeRequest({ ...frame, replyKey, pattern: 'textures.store' }),
    );
    expect(decodeReply((await redis.blpopBuffer(replyKey, 20))![1])!.status).toBe(200);
  });
});
