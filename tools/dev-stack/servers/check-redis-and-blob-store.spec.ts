import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkRedis } from '../redis/check-redis.js';
import { checkBlobStore } from './check-redis-and-blob-store.js';

describe('a configured blob folder', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-check-'));
    await writeFile(join(folder, 'file'), '');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is created if missing, and is empty after the check', async () => {
    const made = join(folder, 'new', 'blobs');
    await checkBlobStore(pathToFileURL(made).href);
    expect((await readdir(made)).filter((name) => name !== '.partial')).toEqual([]);
  });

  it.each([
    ['file', 'ENOTDIR'],
    ['file/blobs', 'ENOTDIR'],
  ])('%s that is not writable is reported in one line', async (name, code) => {
    const path = join(folder, name);
    await expect(checkBlobStore(pathToFileURL(path).href)).rejects.toMatchObject({
      name: 'StartFailure',
      message: `BLOB_STORE_URL: the folder ${path} cannot be written (${code}).`,
    });
  });

  it('is rejected with only one of two S3 keys', async () => {
    process.env.AWS_ACCESS_KEY_ID = 'x';
    const checked = checkBlobStore(pathToFileURL(folder).href);
    delete process.env.AWS_ACCESS_KEY_ID;
    await expect(checked).rejects.toMatchObject({ name: 'EnvironmentError' });
  });

  it('on another machine is rejected', async () => {
    await expect(checkBlobStore('file://elsewhere/blobs')).rejects.toThrow(/^BLOB_STORE_URL: must name a folder/);
  });
});

describe('a configured Redis', () => {
  const sockets: Socket[] = [];

  /**
   * Calls `use` with the address of a server that replies to each command with the entry of
   * `replies` for its first word, otherwise with OK.
   */
  async function withServer<R>(replies: Record<string, string>, use: (place: string) => Promise<R>): Promise<R> {
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('data', (chunk) => {
        for (const [, word] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
          socket.write(replies[word!.toLowerCase()] ?? '+OK\r\n');
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await use(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  }
  const info = (text: string): string => `$${text.length}\r\n${text}\r\n`;

  it('that is unreachable is reported without its password', async () => {
    await expect(checkRedis('REDIS_REQUESTS_URL', 'redis://:hidden@127.0.0.1:1')).rejects.toMatchObject({
      name: 'StartFailure',
      message: 'REDIS_REQUESTS_URL: the Redis at 127.0.0.1:1 is not reachable (ECONNREFUSED).',
    });
  });

  it('must have the minimum version', async () => {
    const old = { info: info('# Server\r\nredis_version:6.2.14\r\n'), ping: '+PONG\r\n' };
    await withServer(old, async (place) => {
      await expect(checkRedis('REDIS_JOBS_URL', `redis://${place}`)).rejects.toThrow(
        `REDIS_JOBS_URL: the Redis at ${place} is version 6.2.14; 7.0 or newer is needed.`,
      );
    });
    const usable = { info: info('# Server\r\nredis_version:7.0.0\r\n'), ping: '+PONG\r\n' };
    await withServer(usable, (place) => checkRedis('REDIS_JOBS_URL', `redis://${place}`));
  });

  it('that rejects the password is reported in one line', async () => {
    const closed = { auth: '-WRONGPASS invalid username-password pair\r\n', ping: '-NOAUTH required\r\n' };
    await withServer(closed, async (place) => {
      await expect(checkRedis('REDIS_JOBS_URL', `redis://:hidden@${place}`)).rejects.toThrow(
        `REDIS_JOBS_URL: the Redis at ${place} rejects the connection (WRONGPASS).`,
      );
    });
  });
});
