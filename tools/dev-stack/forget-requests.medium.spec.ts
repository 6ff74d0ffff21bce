import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '#testing';
import { forgetRequests } from './forget-requests.js';
import { startRedis, type RunningRedis } from './redis.js';
import { filesWith } from './testing/files-with.js';

describe('an append-only file that requests went into', () => {
  let folder: string;
  let server: RunningRedis;
  let redis: Redis;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-redis-'));
    server = await startRedis({ dataDir: folder, appendOnly: true });
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('loses those that were taken and those that were left, and keeps the jobs', async () => {
    await redis.rpush('rq:{accounts}:q', 'swordfish taken', 'swordfish left');
    await redis.lpop('rq:{accounts}:q');
    await redis.set('storefront:events-social:meta', 'kept');
    expect(filesWith(folder, 'swordfish')).not.toEqual([]);
    await forgetRequests(server.url);
    await eventually('no trace of the requests', () => filesWith(folder, 'swordfish').length === 0);
    expect(await redis.keys('*')).toEqual(['storefront:events-social:meta']);
    await eventually('the jobs in the new file', () => filesWith(folder, 'events-social').length > 0);
  });
});
