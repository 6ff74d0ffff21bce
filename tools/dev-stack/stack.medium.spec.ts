import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '#testing';
import { programFile } from './apps.js';
import { freePort } from './free-port.js';
import { isAlive } from './run.js';
import type { StackAddress } from './stack.js';
import { filesWith } from './testing/files-with.js';

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

describe('npm start', () => {
  let folder: string;
  let dataDir: string;
  let environment: NodeJS.ProcessEnv;
  let stack: Run;

  const ready = async (run: Run): Promise<void> => {
    await eventually(
      'a ready stack',
      () => {
        if (run.child.exitCode !== null) throw new Error(`it ended:\n${run.output()}`);
        return existsSync(join(dataDir, 'stack.json'));
      },
      55_000,
    );
  };
  const pids = async (): Promise<number[]> => {
    const apps = JSON.parse(await readFile(join(dataDir, 'apps.json'), 'utf8')) as { pid: number }[];
    const postgres = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
    const redis = await readFile(join(dataDir, 'redis/redis.pid'), 'utf8');
    const requests = await readFile(join(dataDir, 'redis-requests/redis.pid'), 'utf8');
    return [...apps.map(({ pid }) => pid), ...[postgres, redis, requests].map((text) => parseInt(text, 10))];
  };
  const address = async (): Promise<StackAddress> =>
    JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8')) as StackAddress;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-stack-'));
    dataDir = join(folder, 'data');
    environment = {
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      BASE_URL: 'http://shop.invalid',
    };
    stack = start(environment);
    await ready(stack);
  });

  afterAll(async () => {
    if (stack.child.connected) stack.child.disconnect();
    await stack.ended;
    await rm(folder, { recursive: true });
  });

  it('answers on its port when it says that it is ready', async () => {
    const answer = await fetch(`http://127.0.0.1:${environment.PORT}/health/ready`);
    expect(answer.status).toBe(200);
  });

  it('shows the queue board to who has read how, on this machine only', async () => {
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

  it('leaves nothing of a request on disk', async () => {
    const { demoPassword, apiKey } = await address();
    // Both have passed through the request queue when the users were made
    expect(await filesWith(dataDir, demoPassword)).toEqual(['secrets.json', 'stack.json']);
    expect(await filesWith(dataDir, apiKey)).toEqual(['stack.json']);
    expect(stack.output()).not.toContain('REDIS_REQUESTS_URL');
  });

  it('starts its servers again that were killed, on their ports, and the apps find them', async () => {
    for (const pid of (await pids()).slice(-3)) process.kill(pid, 'SIGKILL');
    await eventually('all run again', () => (stack.output().match(/runs again on port/g) ?? []).length === 3, 30_000);
    await eventually(
      'every service answers',
      async () => (await fetch(`http://127.0.0.1:${environment.PORT}/health/ready`)).status === 200,
      30_000,
    );
  });

  it('ends when an app has wrong settings, naming the app, and does not try again', async () => {
    const { requestsUrl, jobsUrl } = await address();
    // A database beside that of the first stack: its requests are no business of these apps
    const servers = { REDIS_REQUESTS_URL: `${requestsUrl}/1`, REDIS_JOBS_URL: `${jobsUrl}/1` };
    const own = { PORT: String(await freePort()), DATA_DIR: join(folder, 'wrong') };
    const wrong = start({ ...own, ...servers, TIME_ZONE: 'Mars' });
    expect(await wrong.ended).toBe(1);
    expect(wrong.output()).toContain('TIME_ZONE: must be an IANA time zone');
    expect(wrong.output()).toMatch(/(catalog|activity) has wrong settings; its lines above name them\.\n$/);
    expect(wrong.output()).not.toContain('starting it again');
  });

  it('starts an app again that was killed, and says so', async () => {
    const [first] = await pids();
    process.kill(first!, 'SIGKILL');
    await eventually('the line in the log', () =>
      /ended \(killed by SIGKILL\); starting it again in 0\.5 s/.test(stack.output()),
    );
    await eventually('another process', async () => !(await pids()).includes(first!));
  });

  it('has every app warn at its start of a Redis that writes requests to disk', async () => {
    const redis = new Redis((await address()).requestsUrl);
    await redis.config('SET', 'appendonly', 'yes');
    for (const pid of (await pids()).slice(0, -3)) process.kill(pid, 'SIGKILL');
    await eventually(
      'a warning of each app',
      () => stack.output().match(/REDIS_REQUESTS_URL keeps what passes/g)?.length === 6,
      30_000,
    );
    await redis.config('SET', 'appendonly', 'no');
    redis.disconnect();
  });

  it('refuses a second stack in the same folder in one line', async () => {
    const second = start({ ...environment, PORT: String(await freePort()) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/^DATA_DIR .* is in use by a running stack \(process \d+\).*\n$/);
  });

  it('refuses a taken port in one line', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port } = squatter.address() as { port: number };
    const second = start({ PORT: String(port), DATA_DIR: join(folder, 'other') });
    expect(await second.ended).toBe(1);
    expect(second.output()).toBe(`Port ${port} is taken by another program; set PORT to a free one.\n`);
    squatter.close();
  });

  it('refuses a certificate in one line: what it starts speaks HTTP', async () => {
    const second = start({ TLS_CERT_FILE: 'tls.crt', DATA_DIR: join(folder, 'other') });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/^npm start speaks HTTP: TLS_CERT_FILE .*\n$/);
  });

  it('refuses a folder that it cannot write in one line', async () => {
    await writeFile(join(folder, 'file'), '');
    const second = start({ PORT: String(await freePort()), DATA_DIR: join(folder, 'file', 'data') });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/^DATA_DIR .*\/file\/data cannot be written \(ENOTDIR\)\.\n$/);
  });

  it('refuses a folder where nothing can be made, instead of trying for ever', async () => {
    const second = start({ PORT: String(await freePort()), DATA_DIR: '/proc/nowhere/data' });
    expect(await second.ended).toBe(1);
    expect(second.output()).toBe('DATA_DIR /proc/nowhere/data cannot be written (ENOENT).\n');
  });

  it('refuses a given Redis that is not there in one line, before it starts anything', async () => {
    const url = 'redis://:hidden@127.0.0.1:1';
    const own = { PORT: String(await freePort()), DATA_DIR: join(folder, 'no-redis') };
    const second = start({ ...own, REDIS_REQUESTS_URL: url, REDIS_JOBS_URL: url });
    expect(await second.ended).toBe(1);
    expect(second.output()).toBe('REDIS_REQUESTS_URL: the Redis at 127.0.0.1:1 is not reachable (ECONNREFUSED).\n');
  });

  it('refuses a blob folder that it cannot write in one line, before it starts anything', async () => {
    await writeFile(join(folder, 'no-folder'), '');
    const own = { PORT: String(await freePort()), DATA_DIR: join(folder, 'no-blobs') };
    const second = start({ ...own, BLOB_STORE_URL: `file://${folder}/no-folder/blobs` });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(
      /^BLOB_STORE_URL: the folder .*no-folder\/blobs cannot be written \(ENOTDIR\)\.\n$/,
    );
  });

  it('tells the tools its local address, whatever BASE_URL says', async () => {
    const known = JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8')) as Record<string, string>;
    expect(known).toMatchObject({ baseUrl: 'http://shop.invalid', localUrl: `http://127.0.0.1:${environment.PORT}` });
    expect(stack.output()).toContain(`'${known.localUrl}/api/v1/products?limit=3'`);
    expect(stack.output()).toMatch(/Requests Redis \d+\.\d+\.\d+ runs on port/);
    expect(stack.output()).toMatch(/Jobs Redis \d+\.\d+\.\d+ runs on port/);
  });

  it('refuses to be temporary in a folder with content', async () => {
    const kept = join(folder, 'kept');
    await mkdir(kept);
    await writeFile(join(kept, 'letter'), 'dear');
    const second = start({ PORT: String(await freePort()), DATA_DIR: kept }, '--temporary');
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/^--temporary needs a new or empty DATA_DIR/);
    expect(await readFile(join(kept, 'letter'), 'utf8')).toBe('dear');
  });

  it('continues with the data, and takes over what a killed supervisor left', async () => {
    const before = await pids();
    const { databaseUrl, apiKey } = await address();
    stack.child.kill('SIGKILL');
    await stack.ended;
    await rm(join(dataDir, 'stack.json'));
    stack = start(environment);
    await ready(stack);
    expect(before.filter(isAlive)).toEqual([]);
    expect(new URL((await address()).databaseUrl).pathname).toBe(new URL(databaseUrl).pathname);
    expect((await address()).apiKey).toBe(apiKey);
    expect(stack.output()).not.toMatch(/Create/);
  });

  it('ends by one Ctrl-C, which arrives twice, in order with code 0, leaves no process and keeps the data', async () => {
    const all = await pids();
    expect(all.length).toBeGreaterThanOrEqual(9);
    stack.child.kill('SIGINT');
    await eventually('it stops', () => stack.output().includes('stopping (SIGINT)'));
    stack.child.kill('SIGINT');
    expect(await stack.ended).toBe(0);
    expect(stack.output()).not.toMatch(/not waiting|killed by/);
    expect(all.filter(isAlive)).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres/data/PG_VERSION'))).toBe(true);
  });
});
