import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { eventually, testDatabase, type TestDatabase, testRedisUrl } from '#testing';
import { type AppName, programFile } from '../dev-stack/apps/apps.js';
import { freePort } from '../dev-stack/system/free-port.js';

const password = 'the-wrong-password-of-a-server';
const withPassword = (url: string): string => {
  const wrong = new URL(url);
  if (wrong.username === '' && wrong.protocol === 'redis:') wrong.username = 'default';
  wrong.password = password;
  return wrong.href;
};

/** Returns the output of an app at log level trace until it logs the expected error. */
async function outputOf(app: AppName, settings: Record<string, string>, expectedError: RegExp): Promise<string> {
  const environment = {
    LOG_LEVEL: 'trace',
    HOST: '127.0.0.1',
    BASE_URL: 'https://shop.example.com',
    IMAGE_SIGNING_SECRET: 'x'.repeat(32),
    KEY_ENCRYPTION_SECRET: 'x'.repeat(32),
    BLOB_STORE_URL: pathToFileURL(tmpdir()).href,
    ...settings,
  };
  const child = spawn(process.execPath, [programFile(app)], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  try {
    await eventually(`${app} logs the error`, () => expectedError.test(output));
  } catch (error) {
    throw new Error(`${app} did not log the error: ${output}`, { cause: error });
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
  return output;
}

let given: TestDatabase;
beforeAll(async () => {
  given = await testDatabase('accounts');
});
afterAll(() => given.close());

describe('the log of an app with a wrong password', () => {
  const redis = { REDIS_REQUESTS_URL: testRedisUrl(), REDIS_JOBS_URL: testRedisUrl() };

  it('does not contain the password of PostgreSQL', async () => {
    const settings = { ...redis, DATABASE_URL: withPassword(given.url) };
    const output = await outputOf('accounts', settings, /password authentication failed/);
    expect(output).not.toContain(password);
  });

  it('does not contain the password in the URL of an unreachable PostgreSQL', async () => {
    const settings = { ...redis, DATABASE_URL: `postgres://owner:${password}@127.0.0.1:1/storefront` };
    expect(await outputOf('accounts', settings, /ECONNREFUSED/)).not.toContain(password);
  });

  it.each([
    ['that rejects it', withPassword(testRedisUrl()), /WRONGPASS|invalid|AUTH/],
    ['that is unreachable', `redis://:${password}@127.0.0.1:1`, /ECONNREFUSED/],
  ])('does not contain the password of a Redis %s', async (_, REDIS_REQUESTS_URL, expectedError) => {
    const settings = { REDIS_REQUESTS_URL, PORT: String(await freePort()) };
    expect(await outputOf('gateway', settings, expectedError)).not.toContain(password);
  });
});
