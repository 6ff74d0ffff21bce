import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StackAddress as KnownAddress } from '#config';
import { AppProcess, stopInOrder } from './apps/app-process.js';
import {
  appNames,
  boardApp,
  environmentOf,
  isService,
  programFile,
  type AppName,
  type RedisUrls,
  type StackFacts,
} from './apps/apps.js';
import { BackOff } from './apps/back-off.js';
import { print, terminalOutput } from './terminal/console.js';
import { DataFolder } from './data-folder.js';
import { StartFailure } from './failure.js';
import { isPortFree } from './system/free-port.js';
import { checkRedisAndBlobStore } from './servers/check-redis-and-blob-store.js';
import { choosePorts, startServers, type Servers, type Stops } from './servers/servers.js';
import type { Flags, StackSettings } from './settings.js';
import { TaskProcess } from './apps/task-process.js';

/** Credentials of a running stack. */
type Credentials = Pick<StackAddress, 'apiKey' | 'demoPassword' | 'queueBoard'>;

/** Address and credentials of a running stack for commands, in DATA_DIR/stack.json. */
export interface StackAddress extends KnownAddress {
  readonly redisUrls: RedisUrls;
  /** Initial password of the user demo. */
  readonly demoPassword: string;
  /** URL and password of the user operator. */
  readonly queueBoard: { readonly url: string; readonly password: string };
}

const readyWithinMs = 120_000;
const stopWithinMs = 25_000;
/** Number of unexpected exits of an app after which the start fails. */
const maxStartupExits = 5;
const nameWidth = 'material-rendering#2'.length;

const interrupted = () => new StartFailure('The start was interrupted.');

const makeSecrets = () => {
  const make = () => randomBytes(32).toString('hex');
  return {
    imageSigning: make(),
    keyEncryption: make(),
    webhookEncryption: make(),
    databaseRoles: make(),
    demoPassword: randomBytes(12).toString('hex'),
    queueBoardPassword: make(),
  };
};

/** Rejects a folder with content for a temporary stack, which deletes its folder. */
async function rejectContent(path: string): Promise<void> {
  const content = await readdir(path).catch(() => []);
  if (content.length > 0) throw new StartFailure(`--temporary needs a new or empty DATA_DIR; ${path} has content.`);
}

/** All servers and apps of `npm start`. */
export class Stack {
  private readonly stops: Stops = [];
  private readonly apps: AppProcess[] = [];
  private folder: DataFolder | undefined;
  private tasks: TaskProcess | undefined;
  private starting: Promise<unknown> = Promise.resolve();
  private stopping = false;
  private boardPort: number | undefined;

  constructor(
    private readonly settings: StackSettings,
    private readonly flags: Flags,
    private readonly terminal: NodeJS.ProcessEnv,
  ) {}

  /** URL of the gateway on this machine, independent of BASE_URL. */
  private get localUrl(): string {
    const { host, port } = this.settings;
    const reachable = ({ '0.0.0.0': '127.0.0.1', '::': '::1' } as Record<string, string>)[host] ?? host;
    return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  }

  /**
   * Starts the stack. @throws StartFailure with a one-line message; call `stop` in this case, too
   */
  start(): Promise<StackAddress> {
    return (this.starting = this.startAll());
  }

  private async startAll(): Promise<StackAddress> {
    const { settings } = this;
    if (this.terminal.TLS_CERT_FILE || this.terminal.TLS_KEY_FILE)
      throw new StartFailure('npm start serves HTTP: TLS_CERT_FILE and TLS_KEY_FILE are for a separate gateway.');
    if (this.flags.temporary) await rejectContent(settings.dataDir);
    const folder = (this.folder = await DataFolder.claim(settings.dataDir));
    // Sequential, because each check binds the port briefly
    if (!(await isPortFree(settings.port, settings.host)) || !(await isPortFree(settings.port))) {
      throw new StartFailure(`Port ${settings.port} is taken by another program; set PORT to a free one.`);
    }
    await checkRedisAndBlobStore(settings);
    const secrets = await folder.load('secrets.json', makeSecrets);
    const tasks = (this.tasks = new TaskProcess(terminalOutput('tasks', nameWidth, 8)));
    const ports = await choosePorts(folder);
    const servers = await this.unlessStopped(() => startServers(settings, folder, ports, this.stops));
    const rolesSecret = settings.rolesSecret ?? secrets.databaseRoles;
    const { databaseUrl, requestsUrl } = servers;
    const queueBoardPassword = settings.queueBoardPassword ?? secrets.queueBoardPassword;
    const urls = await this.unlessStopped(() => tasks.run('migrate', { databaseUrl, rolesSecret }));
    if (settings.firstInternalPort === undefined) this.boardPort = ports.queueBoard;
    const facts: StackFacts = {
      ...settings,
      ...servers,
      databaseUrlOf: (service) => urls[service],
      imageSigningSecret: secrets.imageSigning,
      keyEncryptionSecret: secrets.keyEncryption,
      webhookEncryptionSecret: secrets.webhookEncryption,
      demoPassword: secrets.demoPassword,
      queueBoardPassword,
    };
    const { localUrl } = this;
    const { demoPassword } = secrets;
    this.startApps(appNames.filter(isService), facts);
    const { apiKey } = await this.whileAppsStart(tasks.run('seed', { requestsUrl, password: demoPassword }));
    const queueBoard = { url: `http://127.0.0.1:${this.boardPort}/queues`, password: queueBoardPassword };
    // Before the gateway starts, so that scripts can read the file once /health/ready returns 200
    const address = await this.writeAddress(folder, { ...servers, apiKey, demoPassword, queueBoard });
    this.startApps(['gateway'], facts);
    await this.whileAppsStart(this.waitForGateway());
    if (this.flags.demo) await this.unlessStopped(() => tasks.run('products', { requestsUrl, localUrl, apiKey }));
    tasks.end();
    return address;
  }

  private async writeAddress(folder: DataFolder, known: Servers & Credentials): Promise<StackAddress> {
    const { localUrl, settings } = this;
    const { baseUrl, blobStoreUrl } = settings;
    const address: StackAddress = { pid: process.pid, baseUrl, localUrl, blobStoreUrl, ...known };
    await this.unlessStopped(() => folder.replace('stack.json', address));
    return address;
  }

  private unlessStopped<R>(step: () => Promise<R>): Promise<R> {
    if (this.stopping) throw interrupted();
    return step();
  }

  private startApps(apps: readonly AppName[], facts: StackFacts): void {
    if (this.stopping) return;
    for (const app of apps) {
      const count = this.flags.replicas[app];
      for (let number = 1; number <= count; number++) this.startApp(app, count > 1 ? `${app}#${number}` : app, facts);
    }
    print(`starting ${apps.join(', ')}`);
  }

  private startApp(app: AppName, name: string, facts: StackFacts): void {
    const process = new AppProcess({
      name,
      file: programFile(app),
      environment: environmentOf(app, { ...facts, ...this.internalOf(app) }, this.terminal),
      output: terminalOutput(name, nameWidth, appNames.indexOf(app)),
      backOff: new BackOff(),
      // A failed write of the record must not prevent a restart
      onStart: (pid) => void this.folder?.recordApp(pid).catch(() => undefined),
    });
    this.apps.push(process);
    process.start();
  }

  /**
   * Assigns internal ports: consecutive from the first one. Without a first port only the app of
   * the queue board has one, on loopback.
   */
  private internalOf(app: AppName): Pick<StackFacts, 'internalPort' | 'internalHost'> {
    const { firstInternalPort } = this.settings;
    const isBoard = app === boardApp && !this.apps.some(({ name }) => name.startsWith(boardApp));
    if (firstInternalPort === undefined)
      return isBoard ? { internalPort: this.boardPort!, internalHost: '127.0.0.1' } : {};
    const internalPort = firstInternalPort + this.apps.length;
    if (isBoard) this.boardPort = internalPort;
    return { internalPort };
  }

  /**
   * Waits for a step that needs the apps. @throws StartFailure if an app cannot start, after a
   * timeout, or if the stack is stopped
   */
  private async whileAppsStart<R>(step: Promise<R>): Promise<R> {
    const end = Date.now() + readyWithinMs;
    const done = step.then(() => true);
    while (!(await Promise.race([done, sleep(100, false)]))) this.checkApps(end);
    return step;
  }

  private checkApps(end: number): void {
    if (this.stopping) throw interrupted();
    const failing = this.apps.find((app) => app.unexpectedExits >= maxStartupExits);
    const misconfigured = this.apps.find((app) => app.isMisconfigured);
    if (misconfigured) throw new StartFailure(`${misconfigured.name} has invalid settings; see its log lines above.`);
    if (failing) throw new StartFailure(`${failing.name} does not start; see its last log lines above.`);
    if (Date.now() > end) throw new StartFailure(`The stack was not ready within ${readyWithinMs / 1000} s.`);
  }

  /** Waits until the gateway is ready, which requires a reply of every service. */
  private async waitForGateway(): Promise<void> {
    const isReady = () =>
      fetch(`${this.localUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.ok;
        },
        () => false,
      );
    while (!this.stopping && !(await isReady())) await sleep(50);
  }

  /** Stops the apps, then the servers. Deletes the data of a temporary stack. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.tasks?.end();
    // Waits for a start in progress, so that its servers are in `stops`
    await this.starting.catch(() => undefined);
    await stopInOrder(this.apps, stopWithinMs);
    await Promise.allSettled(this.stops.map((stop) => stop()));
    await this.folder?.release(this.flags.temporary);
  }

  /** Skips the grace period of `stop`. */
  killApps(): void {
    print('skipping the grace period');
    for (const app of this.apps) app.kill();
  }
}
