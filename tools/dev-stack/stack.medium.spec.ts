import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#testing';
import { programFile } from './apps/apps.js';
import { StartFailure } from './failure.js';
import { freePort } from './system/free-port.js';
import { isAlive } from './system/run.js';
import { parseFlags, readSettings } from './settings.js';
import { Stack, type StackAddress } from './stack.js';

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function start(environment: NodeJS.ProcessEnv, ...flags: string[]): Run {
  const child = fork(programFile('stack'), ['--no-demo', ...flags], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, output: () => output, ended };
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * Returns the paths of files in a folder that contain a text. Files deleted during the search are
 * skipped. Synchronous, because promises take ten times the time for the thousands of small files
 * of PostgreSQL.
 */
function filesWith(folder: string, text: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (contentOf(path).includes(text)) found.push(path.slice(folder.length + 1));
  }
  return found.sort();
}

describe('npm start', () => {
  let folder: string;
  let dataDir: string;
  let environment: NodeJS.ProcessEnv;
  let failed: Run;
  let stack: Run;
  let addressWhenHealthy: string;

  const ready = async (run: Run): Promise<void> => {
    await eventually(
      'a ready stack',
      () => {
        if (run.child.exitCode !== null) throw new Error(`npm start exited:\n${run.output()}`);
        return run.output().includes('The storefront is ready');
      },
      100_000,
    );
  };
  const pids = async (): Promise<number[]> => {
    const apps = JSON.parse(await readFile(join(dataDir, 'apps.json'), 'utf8')) as { pid: number }[];
    const postgres = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
    const redis = await readFile(join(dataDir, 'redis/redis.pid'), 'utf8');
    const requests = await readFile(join(dataDir, 'redis-requests/redis.pid'), 'utf8');
    return [...apps.map(({ pid }) => pid), ...[postgres, redis, requests].map((text) => parseInt(text, 10))];
  };
  /** Returns the content of stack.json at the first 200 of /health/ready. */
  const firstHealthy = async (): Promise<string> => {
    const file = join(dataDir, 'stack.json');
    await eventually(
      'a healthy gateway',
      () =>
        fetch(`http://127.0.0.1:${environment.PORT}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      100_000,
    );
    return existsSync(file) ? readFile(file, 'utf8') : 'missing';
  };
  const address = async (): Promise<StackAddress> =>
    JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8')) as StackAddress;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-stack-'));
    dataDir = join(folder, 'data');
    environment = {
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      LOG_LEVEL: undefined,
      BASE_URL: 'http://shop.invalid',
    };
    // The first start creates the data, the second one finds it
    failed = start({ ...environment, TIME_ZONE: 'Mars' });
    await failed.ended;
    stack = start(environment);
    addressWhenHealthy = await firstHealthy();
    await ready(stack);
  }, 180_000);

  afterAll(async () => {
    if (stack.child.connected) stack.child.disconnect();
    await stack.ended;
    await rm(folder, { recursive: true });
  });

  it('exits without a retry when an app has invalid settings, and names the app', async () => {
    expect(await failed.ended).toBe(1);
    const [, app] = /\n([a-z-]+) has invalid settings; see its log lines above\.\n$/.exec(failed.output()) ?? [];
    expect(failed.output()).toMatch(new RegExp(`\n${app} +\\|   TIME_ZONE: must be an IANA time zone\n`));
    expect(failed.output()).not.toContain('restarting');
  });

  it('serves requests when it reports ready', async () => {
    const response = await fetch(`http://127.0.0.1:${environment.PORT}/health/ready`);
    expect(response.status).toBe(200);
  });

  it('writes stack.json before the gateway is healthy', async () => {
    expect(addressWhenHealthy).toBe(await readFile(join(dataDir, 'stack.json'), 'utf8'));
  });

  it('logs warn and above by default', () => {
    expect(stack.output()).toContain('Logs      level warn and above');
    expect(stack.output()).not.toContain('INFO');
  });

  it('serves the queue board on loopback with the printed password', async () => {
    const { url, password } = (await address()).queueBoard;
    const authorization = `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/queues$/);
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization } })).status).toBe(200);
    expect(stack.output()).toContain(`${url}   name operator, password ${password}`);
    const others = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal));
    for (const { address: host } of others.filter(({ family }) => family === 'IPv4'))
      await expect(fetch(url.replace('127.0.0.1', host))).rejects.toThrow('fetch failed');
  });

  it('writes no content of requests to disk', async () => {
    const { demoPassword, apiKey } = await address();
    // Both secrets passed through the request queue when the users were created
    expect(filesWith(dataDir, demoPassword)).toEqual(['secrets.json', 'stack.json']);
    expect(filesWith(dataDir, apiKey)).toEqual(['stack.json']);
    expect(stack.output()).not.toContain('REDIS_REQUESTS_URL');
  });

  it('restarts killed servers on the same ports, and apps reconnect', async () => {
    for (const pid of (await pids()).slice(-3)) process.kill(pid, 'SIGKILL');
    await eventually('all run again', () => (stack.output().match(/restarted on port/g) ?? []).length === 3);
    await eventually(
      'every service responds',
      async () => (await fetch(`http://127.0.0.1:${environment.PORT}/health/ready`)).status === 200,
    );
  });

  it('restarts a killed app and logs it', async () => {
    const [first] = await pids();
    process.kill(first!, 'SIGKILL');
    await eventually('the line in the log', () =>
      /exited \(killed by SIGKILL\), restarting in 0\.5 s/.test(stack.output()),
    );
    await eventually('another process', async () => !(await pids()).includes(first!));
  });

  it('rejects a second stack in the same folder with one line and exit code 1', async () => {
    const second = start({ ...environment, PORT: String(await freePort()) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/^DATA_DIR .* is in use by a running stack \(process \d+\).*\n$/);
  });

  it('writes its local URL for tools, independent of BASE_URL', async () => {
    const known = JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8')) as Record<string, string>;
    expect(known).toMatchObject({ baseUrl: 'http://shop.invalid', localUrl: `http://127.0.0.1:${environment.PORT}` });
    expect(stack.output()).toContain(`'${known.localUrl}/api/v1/products?limit=3'`);
    expect(stack.output()).toMatch(/Requests Redis \d+\.\d+\.\d+ runs on port/);
    expect(stack.output()).toMatch(/Jobs Redis \d+\.\d+\.\d+ runs on port/);
  });

  it('continues with existing data and replaces processes of a killed supervisor', async () => {
    const before = await pids();
    const { databaseUrl, apiKey, queueBoard } = await address();
    stack.child.kill('SIGKILL');
    await stack.ended;
    await rm(join(dataDir, 'stack.json'));
    stack = start(environment);
    await ready(stack);
    expect(before.filter(isAlive)).toEqual([]);
    expect(new URL((await address()).databaseUrl).pathname).toBe(new URL(databaseUrl).pathname);
    expect((await address()).apiKey).toBe(apiKey);
    expect((await address()).queueBoard).toEqual(queueBoard);
    expect(stack.output()).not.toMatch(/Create/);
  }, 180_000);

  it('shuts down cleanly on Ctrl-C, which arrives twice: exit code 0, no process left, data retained', async () => {
    const all = await pids();
    expect(all.length).toBeGreaterThanOrEqual(9);
    // Two signals of the same kind may be merged
    stack.child.kill('SIGINT');
    stack.child.kill('SIGTERM');
    expect(await stack.ended).toBe(0);
    expect(stack.output()).toContain('stopping (SIG');
    expect(stack.output()).not.toMatch(/skipping the grace period|killed by/);
    expect(all.filter(isAlive)).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres/data/PG_VERSION'))).toBe(true);
  });
});

describe('a rejected start', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-refused-'));
    await writeFile(join(folder, 'file'), '');
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Returns the error line of a start with a new data folder. */
  async function startError(name: string, environment: NodeJS.ProcessEnv, ...flags: string[]): Promise<string> {
    const DATA_DIR = join(folder, name);
    const own = { PORT: String(await freePort()), DATA_DIR, ...environment };
    const stack = new Stack(readSettings(own), parseFlags(['--no-demo', ...flags]), own);
    const message = await stack.start().then(
      () => 'it started',
      (error: unknown) => {
        if (error instanceof StartFailure) return error.message;
        throw error;
      },
    );
    await stack.stop();
    return message;
  }
  /** Returns the content of the data folder: data of started servers, and chosen ports. */
  const contentOf = (name: string): string[] => readdirSync(join(folder, name));

  it('because of a used port', async () => {
    const otherServer = createServer();
    await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
    const { port } = otherServer.address() as { port: number };
    const message = await startError('port', { PORT: String(port) });
    otherServer.close();
    expect(message).toBe(`Port ${port} is taken by another program; set PORT to a free one.`);
    expect(contentOf('port')).toEqual([]);
  });

  it('because of a certificate: the stack serves HTTP only', async () => {
    expect(await startError('tls', { TLS_CERT_FILE: 'tls.crt' })).toMatch(/^npm start serves HTTP: TLS_CERT_FILE .*$/);
    expect(contentOf('')).not.toContain('tls');
  });

  it('because of a folder that is not writable', async () => {
    expect(await startError('file/data', {})).toBe(`DATA_DIR ${folder}/file/data cannot be written (ENOTDIR).`);
  });

  it('because of a folder in /proc, without endless retries', async () => {
    const message = await startError('proc', { DATA_DIR: '/proc/nowhere/data' });
    expect(message).toBe('DATA_DIR /proc/nowhere/data cannot be written (ENOENT).');
  });

  it('because of an unreachable Redis, before any server starts', async () => {
    const url = 'redis://:hidden@127.0.0.1:1';
    const message = await startError('no-redis', { REDIS_REQUESTS_URL: url, REDIS_JOBS_URL: url });
    expect(message).toBe('REDIS_REQUESTS_URL: the Redis at 127.0.0.1:1 is not reachable (ECONNREFUSED).');
    expect(contentOf('no-redis')).toEqual([]);
  });

  it('because of a blob folder that is not writable, before any server starts', async () => {
    const message = await startError('no-blobs', { BLOB_STORE_URL: `file://${folder}/file/blobs` });
    expect(message).toBe(`BLOB_STORE_URL: the folder ${folder}/file/blobs cannot be written (ENOTDIR).`);
    expect(contentOf('no-blobs')).toEqual([]);
  });

  it('because of a folder with content and --temporary', async () => {
    await mkdir(join(folder, 'content'));
    await writeFile(join(folder, 'content', 'letter'), 'dear');
    expect(await startError('content', {}, '--temporary')).toMatch(/^--temporary needs a new or empty DATA_DIR/);
    expect(await readFile(join(folder, 'content', 'letter'), 'utf8')).toBe('dear');
  });
});
