import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../bootstrap.mjs';
import { startChild } from './child.mjs';

/** @returns {Promise<number>} a TCP port that is free now */
const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * Starts the whole stack as `npm start` does, in a folder of its own, and tells the test files by the environment where
 * it is: E2E_BASE_URL, E2E_API_KEY (of the user demo) and E2E_DATA_DIR (DATA_DIR for the operator command), and where
 * operator commands run without a start of their own: E2E_OPERATOR_URL.
 */
export default async function setUp() {
  await build({ despiteErrors: true });
  const folder = await mkdtemp(join(tmpdir(), 'storefront-e2e-'));
  const stack = await startChild(
    new URL('../../dist/tools/dev-stack/main.js', import.meta.url).pathname,
    ['--temporary', '--no-demo', '--replicas', 'catalog=2,material-rendering=2'],
    {
      ...process.env,
      PORT: String(await freePort()),
      DATA_DIR: folder,
      // The tests serve textures themselves
      TEXTURE_ALLOWED_HOSTS: '127.0.0.1',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    },
  );
  Object.assign(process.env, {
    E2E_BASE_URL: stack.message.baseUrl,
    E2E_API_KEY: stack.message.apiKey,
    E2E_DATA_DIR: folder,
  });
  globalThis.storefrontE2e = [stack];
  const operator = await startChild(new URL('../../dist/tools/test/operator.js', import.meta.url).pathname, [], {
    ...process.env,
    DATA_DIR: folder,
  });
  process.env.E2E_OPERATOR_URL = operator.message.url;
  globalThis.storefrontE2e.unshift(operator);
}
