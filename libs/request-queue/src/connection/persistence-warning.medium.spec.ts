import { Redis } from 'ioredis';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startRedis, type RunningRedis } from '#dev-stack';
import { eventually } from '#testing';
import { warnOfPersistence } from '../index.js';
import { silentLog } from '../queue-log.js';

// On a separate server, because the tests change its settings
let folder: string;
let server: RunningRedis;
let redis: Redis;
let warnings: string[];
const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) };
const expectedWarnings = [
  expect.stringMatching(/^REDIS_REQUESTS_URL persists requests to disk, with passwords and tokens/),
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'persistence-'));
  server = await startRedis({ dataDir: folder });
  redis = new Redis(server.url);
});
beforeEach(() => {
  warnings = [];
});
afterEach(async () => {
  await redis.config('SET', 'appendonly', 'no', 'save', '');
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(folder, { recursive: true });
});

describe('the warning about the requests Redis', () => {
  it('is not logged without persistence', async () => {
    await warnOfPersistence(server.url, log);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['an append-only file', ['appendonly', 'yes']],
    ['snapshots', ['save', '3600 1 300 100']],
  ])('is logged once with %s', async (_, setting) => {
    await redis.config('SET', ...(setting as [string, string]));
    await warnOfPersistence(server.url, log);
    expect(warnings).toEqual(expectedWarnings);
  });

  it('is not logged when the server denies CONFIG', async () => {
    await redis.config('SET', 'appendonly', 'yes');
    await redis.acl('SETUSER', 'guest', 'on', '>guest', '~*', '&*', '+@all', '-config');
    await warnOfPersistence(`redis://guest:guest@127.0.0.1:${server.port}`, log);
    expect(warnings).toEqual([]);
  });

  it('is logged when the server starts after the process', async () => {
    const port = await freePort();
    const checked = warnOfPersistence(`redis://:late@127.0.0.1:${port}`, log);
    const late = await startRedis({ dataDir: join(folder, 'late'), port, appendOnly: true });
    const admin = new Redis(late.url);
    await admin.config('SET', 'requirepass', 'late');
    await eventually('the warning', () => warnings.length > 0);
    await checked;
    expect(warnings).toEqual(expectedWarnings);
    admin.disconnect();
    await late.stop();
  });
});
