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
import { say, shown } from './terminal/console.js';
import { DataFolder } from './data-folder.js';
import { StartFailure } from './failure.js';
import { isPortFree } from './system/free-port.js';
import { checkGiven } from './servers/given.js';
import { choosePorts, startServers, type Servers, type Stops } from './servers/servers.js';
import type { Flags, StackSettings } from './settings.js';
import { TaskProcess } from './apps/task-process.js';

/** How people are let in. */
type LetIn = Pick<StackAddress, 'apiKey' | 'demoPassword' | 'queueBoard'>;

/** What a running stack tells the commands that speak to it, in DATA_DIR/stack.json. */
export interface StackAddress extends KnownAddress {
  readonly redisUrls: RedisUrls;
  /** Of the user demo, as it was made. */
  readonly demoPassword: string;
  /** For the user operator. */
  readonly queueBoard: { readonly url: string; readonly password: string };
}

const readyWithinMs = 120_000;
const stopWithinMs = 25_000;
/** An app that ends this often before the stack was ever ready will not come up by itself. */
const hopelessEnds = 5;
const nameWidth = 'material-rendering#2'.length;

const interrupted = () => new StartFailure('The start was interrupted.');

const makeSecrets = () => {
  const make = () => randomBytes(32).toString('hex');
  return {
    imageSigning: make(),
    keyEncryption: make(),
    databaseRoles: make(),
    demoPassword: randomBytes(12).toString('hex'),
    queueBoardPassword: make(),
  };
};

/** What a temporary stack removes at its end must be its own. */
async function refuseContent(path: string): Promise<void> {
  const content = await readdir(path).catch(() => []);
  if (content.length > 0) throw new StartFailure(`--temporary needs a new or empty DATA_DIR; ${path} has content.`);
}

/** Everything that `npm start` starts, from the first server to the last app. */
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

  /** Where this machine reaches the gateway, whatever BASE_URL says. */
  private get localUrl(): string {
    const { host, port } = this.settings;
    const reachable = ({ '0.0.0.0': '127.0.0.1', '::': '::1' } as Record<string, string>)[host] ?? host;
    return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  }

  /** @throws StartFailure one line; call `stop` afterwards all the same */
  start(): Promise<StackAddress> {
    return (this.starting = this.startAll());
  }

  private async startAll(): Promise<StackAddress> {
    const { settings } = this;
    if (this.terminal.TLS_CERT_FILE || this.terminal.TLS_KEY_FILE)
      throw new StartFailure('npm start speaks HTTP: TLS_CERT_FILE and TLS_KEY_FILE are for a gateway of its own.');
    if (this.flags.temporary) await refuseContent(settings.dataDir);
    const folder = (this.folder = await DataFolder.claim(settings.dataDir));
    // One after the other: each check takes the port for a moment
    if (!(await isPortFree(settings.port, settings.host)) || !(await isPortFree(settings.port))) {
      throw new StartFailure(`Port ${settings.port} is taken by another program; set PORT to a free one.`);
    }
    await checkGiven(settings);
    const secrets = await folder.kept('secrets.json', makeSecrets);
    const tasks = (this.tasks = new TaskProcess(shown('tasks', nameWidth, 8)));
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
      demoPassword: secrets.demoPassword,
      queueBoardPassword,
    };
    const { localUrl } = this;
    const { demoPassword } = secrets;
    this.startApps(appNames.filter(isService), facts);
    const { apiKey } = await this.whileAppsStart(tasks.run('seed', { requestsUrl, password: demoPassword }));
    const queueBoard = { url: `http://127.0.0.1:${this.boardPort}/queues`, password: queueBoardPassword };
    // Before the gateway starts: a script that waits for /health/ready reads the address behind it
    const address = await this.publishAddress(folder, { ...servers, apiKey, demoPassword, queueBoard });
    this.startApps(['gateway'], facts);
    await this.whileAppsStart(this.gatewayIsReady());
    if (this.flags.demo) await this.unlessStopped(() => tasks.run('products', { requestsUrl, localUrl, apiKey }));
    tasks.end();
    return address;
  }

  private async publishAddress(folder: DataFolder, known: Servers & LetIn): Promise<StackAddress> {
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
    say(`starting ${apps.join(', ')}`);
  }

  private startApp(app: AppName, name: string, facts: StackFacts): void {
    const process = new AppProcess({
      name,
      file: programFile(app),
      environment: environmentOf(app, { ...facts, ...this.internalOf(app) }, this.terminal),
      output: shown(name, nameWidth, appNames.indexOf(app)),
      backOff: new BackOff(),
      // A note that cannot be written must not stop a restart
      onStart: (pid) => void this.folder?.noteApp(pid).catch(() => undefined),
    });
    this.apps.push(process);
    process.start();
  }

  /**
   * One machine has one port for each process: they count on from the first. Without a first one there is only the one of the
   * queue board, for this machine alone.
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

  /** Resolves with the result of a step that waits for apps. @throws StartFailure when an app cannot start */
  private async whileAppsStart<R>(step: Promise<R>): Promise<R> {
    const end = Date.now() + readyWithinMs;
    const done = step.then(() => true);
    while (!(await Promise.race([done, sleep(100, false)]))) this.checkApps(end);
    return step;
  }

  private checkApps(end: number): void {
    if (this.stopping) throw interrupted();
    const hopeless = this.apps.find((app) => app.unaskedEnds >= hopelessEnds);
    const misconfigured = this.apps.find((app) => app.isMisconfigured);
    if (misconfigured) throw new StartFailure(`${misconfigured.name} has wrong settings; its lines above name them.`);
    if (hopeless) throw new StartFailure(`${hopeless.name} does not start; its last lines above say why.`);
    if (Date.now() > end) throw new StartFailure(`The stack was not ready within ${readyWithinMs / 1000} s.`);
  }

  /** The gateway is ready when every service answers it. */
  private async gatewayIsReady(): Promise<void> {
    const isReady = () =>
      fetch(`${this.localUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.ok;
        },
        () => false,
      );
    while (!this.stopping && !(await isReady())) await sleep(50);
  }

  /** Stops all that was started, in reverse order. Keeps the data, unless it was meant to be temporary. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.tasks?.end();
    // A server that is being started now must be known before it can be stopped
    await this.starting.catch(() => undefined);
    await stopInOrder(this.apps, stopWithinMs);
    await Promise.allSettled(this.stops.map((stop) => stop()));
    await this.folder?.release(this.flags.temporary);
  }

  /** Does not wait for anything in progress any more; `stop` then ends soon. */
  hurry(): void {
    say('not waiting for what is under way');
    for (const app of this.apps) app.kill();
  }
}
