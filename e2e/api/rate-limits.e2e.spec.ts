import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LimitedOperationName, operations } from '#contracts';
import { freePort } from '#dev-stack';
import { programFile } from '../../tools/dev-stack/apps/apps.js';
import { countedRequests } from '../endpoints/endpoint-table.js';
import { type ApiResponse, call, dataDir, inWaves, newUser, newUsers, type User } from '../support/shop.js';

const names = Object.keys(countedRequests) as LimitedOperationName[];

/**
 * Sends a valid request without effect, which counts. With `body` it is invalid and does not count.
 */
function send(name: LimitedOperationName, user: User, { body, origin = '' }: { body?: unknown; origin?: string } = {}) {
  const { params = {}, body: own } = countedRequests[name];
  const path = operations[name].path.replaceAll(/:(\w+)/g, (_, key: string) => String(params[key]));
  return call(operations[name].method, `${origin}${path}`, { token: user.apiKey, body: body ?? own });
}

const limitOf = ({ headers }: ApiResponse): number => Number(headers.get('x-ratelimit-limit'));
const remainingOf = ({ headers }: ApiResponse): number => Number(headers.get('x-ratelimit-remaining'));
const resetOf = ({ headers }: ApiResponse): number => Number(headers.get('x-ratelimit-reset'));

describe('a rate limit', () => {
  // A limit applies per user and operation: each of these users is in one test of each operation
  let first: User;
  let frequent: User;
  let normal: User;
  beforeAll(async () => {
    [first, frequent, normal] = (await newUsers(3)) as [User, User, User];
  });

  describe.each(names)('of %s', (name) => {
    it('is in the headers of every response, and counts valid requests only', async () => {
      const { rateLimit } = operations[name];
      const start = await send(name, first);
      expect([limitOf(start), remainingOf(start)]).toEqual([rateLimit.limit, rateLimit.limit - 1]);
      const now = Date.now() / 1000;
      expect(Number.isInteger(resetOf(start))).toBe(true);
      expect(resetOf(start)).toBeGreaterThan(now);
      expect(resetOf(start)).toBeLessThanOrEqual(now + rateLimit.periodSeconds + 2);
      // Invalid bodies do not count, and their responses have the headers, too
      for (const body of 'body' in operations[name] ? ['[]', '{"x": '] : []) {
        const wrong = await send(name, first, { body });
        expect([body, wrong.status, limitOf(wrong), remainingOf(wrong)]).toEqual([
          ...[body, 400, rateLimit.limit],
          rateLimit.limit - 1,
        ]);
      }
      const second = await send(name, first);
      expect(remainingOf(second)).toBe(rateLimit.limit - 2);
      expect(Math.abs(resetOf(second) - resetOf(start))).toBeLessThanOrEqual(1);
      expect(second.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Limit');
    });

    it('rejects requests above it with Retry-After, per user', async () => {
      const { limit } = operations[name].rateLimit;
      const responses = await inWaves(limit + 20, () => send(name, frequent));
      const rejected = responses.filter(({ status }) => status === 429);
      expect(rejected).toHaveLength(20);
      const remaining = responses.filter(({ status }) => status !== 429).map(remainingOf);
      expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, at) => at));
      for (const response of rejected) {
        // The time of the response, because parallel responses may arrive seconds later
        const now = Date.parse(response.headers.get('date')!) / 1000;
        expect(response.body).toMatchObject({ status: 429, code: 'rate-limit.exceeded' });
        expect([limitOf(response), remainingOf(response)]).toEqual([limit, 0]);
        const wait = Number(response.headers.get('retry-after'));
        expect(Number.isInteger(wait) && wait > 0).toBe(true);
        expect(Math.abs(now + wait - resetOf(response))).toBeLessThan(5);
      }
      const after = await send(name, normal);
      expect([after.status === 429, remainingOf(after)]).toEqual([false, limit - 1]);
    });
  });

  it('applies per operation', async () => {
    const user = await newUser();
    await send('materials.text', user);
    for (const name of names.filter((name) => name !== 'materials.text'))
      expect(remainingOf(await send(name, user))).toBe(operations[name].rateLimit.limit - 1);
  });

  it('does not apply to other operations', async () => {
    const { headers } = await call('GET', '/api/v1/products', { token: normal.apiKey });
    expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  describe('with two gateways', () => {
    let gateway: ChildProcess;
    let origin: string;

    beforeAll(async () => {
      const stack = JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8'));
      const port = await freePort();
      origin = `http://127.0.0.1:${port}`;
      gateway = spawn(process.execPath, [programFile('gateway')], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...process.env,
          PORT: String(port),
          HOST: '127.0.0.1',
          BASE_URL: stack.baseUrl,
          LOG_LEVEL: 'warn',
          REDIS_REQUESTS_URL: stack.redisUrls.requests.gateway,
          BLOB_STORE_URL: stack.blobStoreUrl,
          // Required, but not used: no images are requested
          IMAGE_SIGNING_SECRET: 'a secret of this gateway alone, long enough',
        },
      });
      const deadline = Date.now() + 30_000;
      for (;;) {
        const response = await fetch(`${origin}/health/ready`).catch(() => undefined);
        if (response?.ok) return;
        if (Date.now() > deadline) throw new Error('the second gateway did not start');
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    });

    afterAll(async () => {
      gateway.kill('SIGTERM');
      if (gateway.exitCode === null) await once(gateway, 'exit');
    });

    it('is shared', async () => {
      const user = await newUser();
      const { limit } = operations['favorites.create'].rateLimit;
      const ways = ['', origin];
      const responses = await inWaves(limit + 10, (at) => send('favorites.create', user, { origin: ways[at % 2]! }));
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(10);
      for (const way of ways) expect((await send('favorites.create', user, { origin: way })).status).toBe(429);
    });
  });
});
