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

/** What an app writes, at its most talkative, until it has said that something is wrong. */
async function outputOf(app: AppName, settings: Record<string, string>, complaint: RegExp): Promise<string> {
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
    await eventually(`${app} complains`, () => complaint.test(output));
  } catch (error) {
    throw new Error(`${app} did not complain: ${output}`, { cause: error });
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

describe('the log of an app whose server refuses it', () => {
  const redis = { REDIS_REQUESTS_URL: testRedisUrl(), REDIS_JOBS_URL: testRedisUrl() };

  it('does not tell the password of PostgreSQL', async () => {
    const settings = { ...redis, DATABASE_URL: withPassword(given.url) };
    const output = await outputOf('accounts', settings, /password authentication failed/);
    expect(output).not.toContain(password);
  });

  it('does not tell the password in the address of a PostgreSQL that is not there', async () => {
    const settings = { ...redis, DATABASE_URL: `postgres://owner:${password}@127.0.0.1:1/storefront` };
    expect(await outputOf('accounts', settings, /ECONNREFUSED/)).not.toContain(password);
  });

  it.each([
    ['that refuses it', withPassword(testRedisUrl()), /WRONGPASS|invalid|AUTH/],
    ['that is not there', `redis://:${password}@127.0.0.1:1`, /ECONNREFUSED/],
  ])('does not tell the password of a Redis %s', async (_, REDIS_REQUESTS_URL, complaint) => {
    const settings = { REDIS_REQUESTS_URL, PORT: String(await freePort()) };
    expect(await outputOf('gateway', settings, complaint)).not.toContain(password);
  });
});
