import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis, type RunningRedis } from './redis.js';
import { isAlive } from '../system/run.js';

async function withRedis<R>(url: string, use: (redis: Redis) => Promise<R>): Promise<R> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, enableReadyCheck: false });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

describe('the embedded Redis', () => {
  let folder: string;
  let dataDir: string;
  let server: RunningRedis;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-redis-'));
    dataDir = join(folder, 'redis');
    server = await startRedis({ dataDir, appendOnly: true, databases: 20 });
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('has the configured number of databases and never evicts', async () => {
    const settings = await withRedis(server.url, (redis) => redis.config('GET', 'databases', 'maxmemory-policy'));
    expect(settings).toEqual(expect.arrayContaining(['databases', '20', 'maxmemory-policy', 'noeviction']));
  });

  it('flushes before acknowledging', async () => {
    const settings = await withRedis(server.url, (redis) => redis.config('GET', 'appendonly', 'appendfsync'));
    expect((settings as string[]).toSorted()).toEqual(['always', 'appendfsync', 'appendonly', 'yes']);
  });

  it('requires the password', async () => {
    const anonymous = withRedis(`redis://127.0.0.1:${server.port}`, (redis) => redis.get('stored'));
    await expect(anonymous).rejects.toThrow(/NOAUTH/);
  });

  it('retains the append-only file across a restart', async () => {
    await withRedis(server.url, (redis) => redis.set('stored', '7'));
    const before = server;
    await server.stop();
    expect(isAlive(before.pid)).toBe(false);
    server = await startRedis({ dataDir, appendOnly: true, port: before.port });
    expect(server.url).toBe(before.url);
    expect(await withRedis(server.url, (redis) => redis.get('stored'))).toBe('7');
  });

  it('stops a server that a killed supervisor left running, without data loss', async () => {
    const before = server;
    await withRedis(server.url, (redis) => redis.set('stored', '8'));
    server = await startRedis({ dataDir, appendOnly: true });
    expect(isAlive(before.pid)).toBe(false);
    expect(await withRedis(server.url, (redis) => redis.get('stored'))).toBe('8');
  });

  it('stops a server of a version without users', async () => {
    const before = server;
    server = await startRedis({ dataDir, appendOnly: true, users: 'jobs' });
    expect(isAlive(before.pid)).toBe(false);
    await server.stop();
    server = await startRedis({ dataDir, appendOnly: true });
    expect(await withRedis(server.url, (redis) => redis.get('stored'))).toBe('8');
  });

  it('does not start if a running server rejects its passwords', async () => {
    await writeFile(join(dataDir, 'password'), 'another\n');
    const start = startRedis({ dataDir, appendOnly: true });
    await expect(start).rejects.toThrow(
      new RegExp(`rejects its passwords or does not reply. Stop process ${server.pid} if it is a Redis`),
    );
    await writeFile(join(dataDir, 'password'), `${new URL(server.url).password}\n`);
    server = await startRedis({ dataDir, appendOnly: true });
    expect(await withRedis(server.url, (redis) => redis.get('stored'))).toBe('8');
  });

  it('can be killed', async () => {
    await server.stop('SIGKILL');
    expect(isAlive(server.pid)).toBe(false);
    server = await startRedis({ dataDir, appendOnly: true });
  });

  it('reports a used port in one line', async () => {
    const otherServer = createServer((socket) => sockets.push(socket));
    const sockets: Socket[] = [];
    await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
    const { port } = otherServer.address() as { port: number };
    const start = startRedis({ dataDir: join(folder, 'second'), port });
    await expect(start).rejects.toThrow(
      new RegExp(`^Redis does not start on port ${port}: (Failed listening|.*in use).*$`),
    );
    for (const socket of sockets) socket.destroy();
    otherServer.close();
  });
});
