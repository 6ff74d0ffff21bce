import { Redis } from 'ioredis';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startRedis, type RunningRedis } from '#dev-stack';
import { eventually } from '#testing';
import { warnOfPersistence } from '../index.js';
import { silentLog } from '../queue-log.js';

// A server of its own: its settings are no business of the other tests
let folder: string;
let server: RunningRedis;
let redis: Redis;
let warnings: string[];
const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) };
const told = [expect.stringMatching(/^REDIS_REQUESTS_URL keeps what passes through it on disk: passwords and tokens/)];

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

describe('the Redis of the requests', () => {
  it('that keeps nothing is not warned of', async () => {
    await warnOfPersistence(server.url, log);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['an append-only file', ['appendonly', 'yes']],
    ['snapshots', ['save', '3600 1 300 100']],
  ])('that keeps %s is warned of once', async (_, setting) => {
    await redis.config('SET', ...(setting as [string, string]));
    await warnOfPersistence(server.url, log);
    expect(warnings).toEqual(told);
  });

  it('that does not tell its settings stops nobody', async () => {
    await redis.config('SET', 'appendonly', 'yes');
    await redis.acl('SETUSER', 'guest', 'on', '>guest', '~*', '&*', '+@all', '-config');
    await warnOfPersistence(`redis://guest:guest@127.0.0.1:${server.port}`, log);
    expect(warnings).toEqual([]);
  });

  it('that comes later than the process is asked then', async () => {
    const port = await freePort();
    const asked = warnOfPersistence(`redis://:late@127.0.0.1:${port}`, log);
    const late = await startRedis({ dataDir: join(folder, 'late'), port, appendOnly: true });
    const admin = new Redis(late.url);
    await admin.config('SET', 'requirepass', 'late');
    await eventually('the warning', () => warnings.length > 0);
    await asked;
    expect(warnings).toEqual(told);
    admin.disconnect();
    await late.stop();
  });
});
