import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { testRedisUrl } from '#testing';
import { decodeRequest, encodeReply, frameFlags, type RequestFrame } from '../wire/frames.js';
import { openQueueClients, type QueueClients } from '../index.js';
import { QueueKeys } from '../wire/keys.js';
import { Journal } from '../testing/journal.js';
import { startLocalReplica } from '../testing/replica.js';

const timeReply = /\*2\r\n\$10\r\n(?<seconds>\d{10})\r\n(?=\$\d{1,6}\r\n\d{1,6}\r\n)/g;

/** Proxy in front of Redis that can step its clock: it changes only the replies to TIME. */
class SteppingRedis {
  stepSeconds = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((client) => {
      const redis = connect(Number(target.port), target.hostname);
      client.pipe(redis);
      redis.on('data', (bytes: Buffer) => client.write(this.rewrite(bytes)));
      for (const socket of [client, redis]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.end([client, redis]));
      }
    });
  }

  static async before(url: string): Promise<SteppingRedis> {
    const proxy = new SteppingRedis(new URL(url));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return Object.assign(new URL(this.target.href), { port }).href;
  }

  close(): void {
    this.end(this.sockets);
    this.server.close();
  }

  private rewrite(bytes: Buffer): Buffer {
    if (this.stepSeconds === 0) return bytes;
    const shift = (_: string, seconds: string) => `*2\r\n$10\r\n${Number(seconds) + this.stepSeconds}\r\n`;
    return Buffer.from(bytes.toString('latin1').replace(timeReply, shift), 'latin1');
  }

  private end(sockets: Iterable<Socket>): void {
    for (const socket of sockets) socket.destroy();
  }
}

let closing: (() => unknown)[] = [];
let redis: SteppingRedis;
let journal: Journal;

beforeEach(async () => {
  redis = await SteppingRedis.before(testRedisUrl());
  journal = new Journal();
  closing = [() => redis.close(), () => journal.remove()];
});

afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

async function startReplica(): Promise<void> {
  const { app } = await startLocalReplica({ redisUrl: redis.url, journal: journal.path });
  closing.push(() => app.close());
}

async function openClients(): Promise<QueueClients> {
  const registry = new Registry();
  const clients = await openQueueClients({ app: 'gateway', redisUrl: redis.url, services: ['activity'], registry });
  closing.push(() => clients.close());
  return clients;
}

const timeoutMs = 50_000;
const write = (clients: QueueClients, viewerId: number) =>
  clients.of('activity').request('activities.list', { viewerId, limit: 1, language: 'en' }, { timeoutMs });

const numbers = Array.from({ length: 20 }, (_, number) => number);

describe('a step of the clock of Redis', () => {
  it('forward that only the replica has measured makes the caller measure again', async () => {
    const clients = await openClients();
    redis.stepSeconds = 60;
    await startReplica();
    const replies = await Promise.all(numbers.map((number) => write(clients, number)));
    expect(replies.map(({ status }) => status)).toEqual(numbers.map(() => 200));
    expect(journal.numbers().sort((a, b) => a - b)).toEqual(numbers);
  });

  it('back that only the caller has measured makes the replica measure again', async () => {
    await startReplica();
    redis.stepSeconds = -60;
    const clients = await openClients();
    const replies = await Promise.all(numbers.map((number) => write(clients, number)));
    expect(replies.map(({ status }) => status)).toEqual(numbers.map(() => 200));
    expect(journal.numbers().sort((a, b) => a - b)).toEqual(numbers);
  });

  it('forward by less than the timeout of a request causes no rejection', async () => {
    const clients = await openClients();
    redis.stepSeconds = 30;
    await startReplica();
    expect((await write(clients, 1)).status).toBe(200);
    expect(journal.numbers()).toEqual([1]);
  });
});

describe('a reply with the flag `late`', () => {
  const keys = new QueueKeys();
  let server: Redis;

  beforeEach(async () => {
    server = new Redis(redis.url);
    closing.push(() => server.disconnect());
    await server.set(keys.live('activity'), '100');
  });

  const nextRequest = async (): Promise<RequestFrame> => {
    const popped = await server.blpopBuffer(keys.requests('activity'), 10);
    return decodeRequest(popped![1])!;
  };
  const late = ({ correlation }: RequestFrame) =>
    encodeReply({
      flags: frameFlags.problem | frameFlags.late,
      correlation,
      status: 503,
      headers: {},
      body: Buffer.from('{}'),
    });

  it('causes one repetition, also when it arrives twice', async () => {
    const clients = await openClients();
    const request = write(clients, 1);
    const first = await nextRequest();
    await server.rpush(first.replyKey, late(first), late(first));
    const second = await nextRequest();
    expect(second.payload).toEqual(first.payload);
    expect(second.ttl).toBeLessThanOrEqual(first.ttl);
    // The client reads this reply after both copies of the first reply
    const body = Buffer.from('{"activities":[]}');
    await server.rpush(
      second.replyKey,
      encodeReply({ flags: frameFlags.raw, correlation: second.correlation, status: 200, headers: {}, body }),
    );
    expect((await request).status).toBe(200);
    expect(await server.llen(keys.requests('activity'))).toBe(0);
  });
});
