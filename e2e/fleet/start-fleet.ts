import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { operations } from '#contracts';
import { stopInOrder } from '../../tools/dev-stack/apps/app-process.js';
import {
  appNames,
  environmentOf,
  programFile,
  redisUrlsOf,
  type AppName,
  type RedisUrls,
  type StackFacts,
} from '../../tools/dev-stack/apps/apps.js';
import { StartFailure } from '../../tools/dev-stack/failure.js';
import { freePort } from '../../tools/dev-stack/system/free-port.js';
import type { Replicas } from '../../tools/dev-stack/settings.js';
import type { StackAddress } from '../../tools/dev-stack/stack.js';
import { TaskProcess } from '../../tools/dev-stack/apps/task-process.js';
import type { Fleet, FleetOptions } from './fleet.js';
import type { OwnServer } from './fleet-server.js';
import { groups, type Group } from './groups.js';
import { startCleanup, type Cleanup } from './cleanup.js';
import { leaksOf } from './leaks.js';
import { LogFile } from './log-file.js';
import { startServers, type OwnServers } from './start-servers.js';
import { Supervised } from './supervised.js';

const readyWithinMs = 120_000;
const stopWithinMs = 25_000;
/** Number of unexpected exits of a process after which the start fails. */
const maxStartupExits = 5;

/** Setting RATE_LIMITS that allows all requests of a load; other tests cover rate limits. */
const unlimitedRates = Object.entries(operations)
  .filter(([, operation]) => 'rateLimit' in operation)
  .map(([name]) => `${name}=1000000000/60`)
  .join(',');

/** Configuration that all processes share. */
type SharedFacts = Omit<StackFacts, 'port' | 'baseUrl'>;

/** Implementation of a fleet. */
class StartedFleet implements Fleet {
  readonly processes: Supervised[] = [];
  readonly baseUrls: string[] = [];
  readonly internalUrls: string[] = [];
  readonly blobFolder: string;
  readonly logFile: string;
  readonly secrets = new Set<string>();
  /** Folder of temporary files, deleted with the fleet. */
  private readonly temporary: string;
  private readonly log: LogFile;
  private stopped: Promise<void> | undefined;
  private started: OwnServers | undefined;
  private tasks: TaskProcess | undefined;

  constructor(
    readonly dataDir: string,
    private readonly cleanup: Cleanup,
    private readonly options: FleetOptions,
  ) {
    this.blobFolder = options.blobFolder ?? join(dataDir, 'blobs');
    this.temporary = join(dataDir, 'temporary');
    this.logFile = options.logFile ?? join(dataDir, 'log');
    this.log = new LogFile(this.logFile);
  }

  get servers(): OwnServers {
    return this.started!;
  }

  /** URLs of both Redis, without the users of apps; other tests cover their permissions. */
  private get redisUrls(): RedisUrls {
    const { requests, jobs } = this.servers;
    return redisUrlsOf(
      () => requests.urlForApps(),
      () => jobs.urlForApps(),
    );
  }

  async start(): Promise<void> {
    for (const folder of [this.blobFolder, this.temporary]) await mkdir(folder, { recursive: true });
    const tasks = (this.tasks = new TaskProcess(this.log.of('tasks')));
    const { postgres, requests, jobs } = (this.started = await startServers(this.dataDir, this.cleanup));
    if (this.options.proxied) await Promise.all([postgres.proxy(), requests.proxy(), jobs.proxy()]);
    const migration = { databaseUrl: postgres.url, rolesSecret: this.makeSecret() };
    const databaseUrls = await tasks.run('migrate', migration);
    for (const url of [...Object.values(databaseUrls), postgres.url, requests.url, jobs.url])
      this.secrets.add(decodeURIComponent(new URL(url).password));
    const demoPassword = this.makeSecret();
    await this.startApps({
      host: '127.0.0.1',
      redisUrls: this.redisUrls,
      blobStoreUrl: pathToFileURL(this.blobFolder).href,
      databaseUrlOf: (service) => postgres.urlForApps(databaseUrls[service]),
      imageSigningSecret: this.makeSecret(),
      keyEncryptionSecret: this.makeSecret(),
      webhookEncryptionSecret: this.makeSecret(),
      demoPassword,
    });
    await this.untilReady();
    const localUrl = this.baseUrls[0]!;
    const seed = { requestsUrl: requests.url, localUrl, password: demoPassword, products: false };
    const { apiKey } = await tasks.run('seed', seed);
    tasks.end();
    this.secrets.add(apiKey);
    await this.writeAddress({ apiKey, demoPassword });
  }

  private makeSecret(): string {
    const secret = randomBytes(32).toString('hex');
    this.secrets.add(secret);
    return secret;
  }

  private async startApps(facts: SharedFacts): Promise<void> {
    for (const urls of [this.baseUrls, this.internalUrls])
      while (urls.length < this.options.replicas.gateway) {
        const url = `http://127.0.0.1:${await freePort()}`;
        if (![...this.baseUrls, ...this.internalUrls].includes(url)) urls.push(url);
      }
    for (const group of groups) {
      for (let number = 1; number <= this.options.replicas[group.app]; number++)
        this.processes.push(this.process(group, number, facts));
    }
    for (const { app } of this.processes) app.start();
  }

  private process({ name, app, environment: own }: Group, number: number, facts: SharedFacts): Supervised {
    const [baseUrl] = this.baseUrls;
    // Only gateways use the port. Replica n has that of the n-th URL
    const port = Number(new URL(this.baseUrls[number - 1] ?? baseUrl!).port);
    const internal = app === 'gateway' && { internalPort: Number(new URL(this.internalUrls[number - 1]!).port) };
    const environment = environmentOf(app, { ...facts, ...internal, port, baseUrl: baseUrl! }, this.terminal(own));
    const file = programFile(app);
    return new Supervised({ group: name, number, file, environment, log: this.log, onStart: this.cleanup.record });
  }

  private terminal(own: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    // Apps inherit nothing from this process except PATH
    const fixed = { PATH, TMPDIR: this.temporary, LOG_FORMAT: 'json', LOG_LEVEL: 'info', RATE_LIMITS: unlimitedRates };
    return { ...fixed, ...this.options.environment, ...own };
  }

  private async untilReady(): Promise<void> {
    const state = { started: false };
    void Promise.all(this.processes.map((it) => it.ready())).then(() => (state.started = true));
    const until = Date.now() + readyWithinMs;
    while (!state.started || !(await Promise.all(this.baseUrls.map(isReady))).every(Boolean)) {
      const failed = this.processes.find(({ app }) => app.isMisconfigured || app.unexpectedExits >= maxStartupExits);
      if (failed) throw new StartFailure(`${failed.name} does not start:\n${await this.lastLines(failed.name)}`);
      if (Date.now() > until)
        throw new StartFailure(`The fleet was not ready within ${readyWithinMs / 1000} s:\n${await this.lastLines()}`);
      await sleep(100);
    }
  }

  /** Returns the last log lines, because the log is deleted when the start fails. */
  private async lastLines(name = ''): Promise<string> {
    const lines = (await readFile(this.logFile, 'utf8')).trim().split('\n');
    return lines
      .filter((line) => line.startsWith(name))
      .slice(-10)
      .join('\n');
  }

  private async writeAddress(demo: { readonly apiKey: string; readonly demoPassword: string }): Promise<void> {
    const [baseUrl] = this.baseUrls;
    const { postgres, requests, jobs } = this.servers;
    const address: Omit<StackAddress, 'queueBoard'> = {
      pid: process.pid,
      baseUrl: baseUrl!,
      localUrl: baseUrl!,
      requestsUrl: requests.url,
      jobsUrl: jobs.url,
      redisUrls: this.redisUrls,
      databaseUrl: postgres.url,
      blobStoreUrl: pathToFileURL(this.blobFolder).href,
      ...demo,
    };
    await writeFile(join(this.dataDir, 'stack.json'), JSON.stringify(address), { mode: 0o600 });
  }

  stop(): Promise<void> {
    return (this.stopped ??= this.stopAll());
  }

  private async stopAll(): Promise<void> {
    this.tasks?.end();
    await stopInOrder(
      this.processes.map(({ app }) => app),
      stopWithinMs,
    );
    const servers: readonly OwnServer[] = Object.values(this.started ?? {});
    await Promise.allSettled(servers.map((server) => server.stop()));
    await this.log.close();
    try {
      await this.rejectLeaks();
    } finally {
      await this.cleanup.close();
    }
  }

  /** Checks the logs of apps and servers. @throws Error if one contains a secret */
  private async rejectLeaks(): Promise<void> {
    const names = (await readdir(this.dataDir, { recursive: true })).filter((name) => name.endsWith('.log'));
    const ofServers = names.map((name) => leaksOf(join(this.dataDir, name), this.secrets));
    const all = await Promise.all([leaksOf(this.logFile, this.secrets, this.log.from), ...ofServers]);
    const leaks = all.flat();
    if (leaks.length > 0)
      throw new Error(`${leaks.length} log lines contain secrets:\n${leaks.slice(0, 20).join('\n')}`);
  }
}

/** Returns whether a gateway is ready, which requires every service. */
async function isReady(baseUrl: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  await response?.arrayBuffer();
  return response?.ok ?? false;
}

/** Returns `count` replicas of every app. */
export const replicasOfEach = (count: number): Replicas =>
  Object.fromEntries(appNames.map((app) => [app, count])) as Record<AppName, number>;

/**
 * Starts a fleet: servers, migrations, all apps with their replicas, and the catalog without demo
 * products.
 *
 * @throws StartFailure with the reason, after cleaning up
 */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-fleet-'));
  const fleet = new StartedFleet(folder, await startCleanup(folder), options);
  try {
    await fleet.start();
    return fleet;
  } catch (error) {
    await fleet.stop();
    throw error;
  }
}
