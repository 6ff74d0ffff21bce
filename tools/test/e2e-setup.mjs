import { mkdtemp, open, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverNames } from '../../libs/contracts/src/apps.mjs';
import { build } from '../build/bootstrap.mjs';
import { startChild } from './child.mjs';

/** Binds a port and closes it. Rejects if the port is in use. */
const listenOnce = (port) =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, () => server.close(() => resolve()));
  });

/** @returns {Promise<number>} first of `count` consecutive free TCP ports on all addresses */
async function freePorts(count) {
  for (;;) {
    // Below the ephemeral ports of the system
    const first = 10_000 + Math.floor(Math.random() * 20_000);
    try {
      for (let port = first; port < first + count; port++) await listenOnce(port);
      return first;
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
    }
  }
}

/** Apps with a second replica in the stack. */
const replicated = ['catalog', 'material-rendering'];
const processes = serverNames.length + replicated.length;

/**
 * Starts the complete stack as `npm start` does, in a temporary folder, and sets variables for the
 * test files: E2E_BASE_URL, E2E_DATA_DIR (folder of the stack: `stack.json`, secrets and blobs),
 * E2E_OPERATOR_URL (a server that runs operator commands without a process start), E2E_SECRETS (a
 * file of secrets that tests have seen) and E2E_INTERNAL_PORTS. The stack logs at level debug; the
 * teardown searches its log for secrets and failures.
 *
 * If E2E_DATA_DIR is already set, the stack of its stack.json is tested, in containers or
 * elsewhere, without internal ports.
 */
export default async function setUp() {
  await build();
  const given = process.env.E2E_DATA_DIR;
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'storefront-e2e-')));
  const records = await mkdtemp(join(tmpdir(), 'storefront-e2e-log-'));
  const [log, secrets] = [join(records, 'stack.log'), join(records, 'secrets.jsonl')];
  await writeFile(secrets, '');
  const output = await open(log, 'a', 0o600);
  globalThis.storefrontE2e = { children: [], isOurs: given === undefined, folder, records, log, secrets };
  const { children } = globalThis.storefrontE2e;
  const start = async (file, parameters, environment) => {
    const child = await startChild(new URL(`../../dist/${file}`, import.meta.url).pathname, parameters, {
      environment: { ...process.env, DATA_DIR: folder, ...environment },
      output: output.fd,
    });
    children.unshift(child);
    return child.message;
  };
  try {
    const port = await freePorts(1 + processes);
    const internalPort = port + 1;
    const startOurs = async () => {
      const parameters = ['--temporary', '--no-demo', '--replicas', replicated.map((app) => `${app}=2`).join()];
      return start('programs/stack.js', parameters, {
        PORT: String(port),
        INTERNAL_PORT: String(internalPort),
        // Tests serve textures, and receive webhooks, on loopback
        TEXTURE_ALLOWED_HOSTS: '127.0.0.1',
        WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
        BUY_URL: 'https://shop.example.com/?id={product}&size={size}&color={color}',
        CONTACT_URL: 'mailto:shop@example.com',
        LOG_LEVEL: 'debug',
        LOG_FORMAT: 'json',
      });
    };
    const stack = given ? JSON.parse(await readFile(join(given, 'stack.json'), 'utf8')) : await startOurs();
    const operator = await start('tools/test/operator.js', [], {});
    globalThis.storefrontE2e.begin = (await stat(log)).size;
    Object.assign(process.env, {
      E2E_BASE_URL: stack.baseUrl,
      E2E_INTERNAL_PORTS: given ? '' : Array.from({ length: processes }, (_, n) => internalPort + n).join(),
      E2E_DATA_DIR: folder,
      E2E_OPERATOR_URL: operator.url,
      E2E_SECRETS: secrets,
    });
  } catch (error) {
    process.stderr.write((await readFile(log, 'utf8')).slice(-20_000));
    throw error;
  } finally {
    await output.close();
  }
}
