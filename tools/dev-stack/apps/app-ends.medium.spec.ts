import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceName } from '#contracts';
import { eventually, TcpProxy, testDatabase, type TestDatabase } from '#testing';
import { type AppName, appNames, environmentOf, isService, programFile, redisUrlsOf } from './apps.js';
import { freePort } from '../system/free-port.js';
import { type RunningRedis, startRedis } from '../redis/redis.js';
import { isAlive } from '../system/run.js';

/** Maximum shutdown time of every app. */
const withinMs = 25_000;
const slowMs = 120_000;

interface App {
  readonly name: AppName;
  readonly child: ChildProcess;
  readonly lines: () => string[];
  readonly ended: Promise<{ readonly code: number | null; readonly ms: number }>;
  end(...signals: NodeJS.Signals[]): Promise<{ readonly code: number | null; readonly ms: number }>;
}

let folder: string;
let db: TestDatabase;
let postgres: TcpProxy;
let server: RunningRedis;
let redis: TcpProxy;
let port: number;
const apps: App[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-ends-'));
  db = await testDatabase('catalog');
  postgres = await TcpProxy.before(db.url);
  // A misconfigured server, which writes requests to disk
  server = await startRedis({ dataDir: join(folder, 'redis'), appendOnly: true });
  redis = await TcpProxy.before(server.url);
  port = await freePort();
}, slowMs);

afterAll(async () => {
  for (const { child } of apps) child.kill('SIGKILL');
  await Promise.all(apps.map(({ ended }) => ended));
  postgres.close();
  redis.close();
  await server.stop();
  await db.close();
  await rm(folder, { recursive: true, force: true });
}, slowMs);

function start(name: AppName): App {
  const databaseUrlOf = (service: ServiceName) => postgres.through(db.urlOf(service));
  const secret = 'a secret of at least 32 characters';
  const facts = {
    port,
    host: '127.0.0.1',
    baseUrl: `http://127.0.0.1:${port}`,
    databaseUrlOf,
    redisUrls: redisUrlsOf(
      () => redis.url,
      () => redis.url,
    ),
    blobStoreUrl: pathToFileURL(join(folder, 'blobs')).href,
    imageSigningSecret: secret,
    keyEncryptionSecret: secret,
    webhookEncryptionSecret: secret,
    demoPassword: secret,
  };
  const terminal = { PATH: process.env.PATH, LOG_FORMAT: 'json', LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, [programFile(name)], {
    env: environmentOf(name, facts, terminal),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let since = 0;
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ms: Date.now() - since }));
  const end = (...signals: NodeJS.Signals[]) => {
    since = Date.now();
    for (const signal of signals) child.kill(signal);
    return ended;
  };
  const app = { name, child, ended, end, lines: () => output.trim().split('\n') };
  apps.push(app);
  return app;
}

const waitForMessage = ({ name, lines, child }: App, word: string) =>
  eventually(
    `${name}: ${word}`,
    () => {
      if (child.exitCode !== null) throw new Error(`${name} exited: ${lines().join('\n')}`);
      return lines().some((line) => line.includes(`"msg":"${word}"`));
    },
    slowMs,
  );

/** Returns the child processes of a process; empty outside of Linux. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

/** Requests the front page repeatedly on one connection until the server closes it. */
async function requestUntilClosed(statuses: (number | string)[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let isLast = false; !isLast;)
    isLast = await new Promise<boolean>((resolve) => {
      const request = get({ port, host: '127.0.0.1', path: '/', agent }, (response) => {
        response.resume().once('close', () => {
          statuses.push(response.complete ? response.statusCode! : 'cut off');
          resolve(response.headers.connection === 'close' || !response.complete);
        });
      });
      request.once('error', (error) => {
        statuses.push(error.message);
        resolve(true);
      });
    });
  agent.destroy();
}

describe('shutdown of an app', () => {
  let gateway: App;
  let services: App[];

  const expectCleanShutdown = (ended: readonly App[], ends: readonly Awaited<App['ended']>[]): void => {
    expect(ends.map(({ code }) => code)).toEqual(ended.map(() => 0));
    for (const { ms } of ends) expect(ms).toBeLessThan(withinMs);
    // The last log lines are flushed before the exit
    for (const { lines } of ended) expect(lines().join('\n')).toContain('"msg":"Shutdown finished"');
  };

  it(
    'before it is ready, with unresponsive servers: shuts down cleanly',
    async () => {
      for (const server of [postgres, redis]) server.disturb({ delayMs: slowMs, stalled: 0 });
      const started = (['catalog', 'gateway'] as const).map(start);
      await Promise.all(started.map((app) => waitForMessage(app, 'starting')));
      const ends = await Promise.all(started.map((app) => app.end('SIGTERM')));
      expectCleanShutdown(started, ends);
      for (const server of [postgres, redis]) {
        server.heal();
        server.cut();
      }
    },
    2 * slowMs,
  );

  it(
    'under load, with repeated signals: responds to all accepted requests',
    async () => {
      services = appNames.filter(isService).map(start);
      gateway = start('gateway');
      await Promise.all([gateway, ...services].map((app) => waitForMessage(app, 'ready')));
      const statuses: (number | string)[] = [];
      const clients = Array.from({ length: 8 }, () => requestUntilClosed(statuses));
      await eventually('a load', () => statuses.length > 16, slowMs);
      const before = statuses.length;
      const end = await gateway.end('SIGTERM', 'SIGTERM', 'SIGINT');
      await Promise.all(clients);
      expectCleanShutdown([gateway], [end]);
      expect(statuses.length).toBeGreaterThan(before);
      expect(new Set(statuses)).toEqual(new Set([200]));
    },
    2 * slowMs,
  );

  it('warns at startup of a Redis that writes requests to disk', async () => {
    for (const app of [gateway, ...services])
      await eventually(app.name, () =>
        app.lines().some((line) => line.includes('REDIS_REQUESTS_URL persists requests')),
      );
  });

  const endedFirst = ['material-rendering', 'activity'];

  it(
    'ends all child processes',
    async () => {
      const ended = services.filter(({ name }) => endedFirst.includes(name));
      const children = ended.flatMap(({ child }) => childrenOf(child.pid!));
      expectCleanShutdown(ended, await Promise.all(ended.map((app) => app.end('SIGINT', 'SIGTERM'))));
      await eventually('the end of the children', () => !children.some((pid) => isAlive(pid)));
    },
    2 * slowMs,
  );

  it(
    'when its servers stop responding: shuts down cleanly',
    async () => {
      const ended = services.filter(({ child }) => child.exitCode === null);
      expect(ended.map(({ name }) => name)).toEqual(
        appNames.filter((name) => isService(name) && !endedFirst.includes(name)),
      );
      for (const server of [postgres, redis]) server.blackhole();
      expectCleanShutdown(ended, await Promise.all(ended.map((app) => app.end('SIGTERM'))));
    },
    2 * slowMs,
  );
});
