import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '#testing';
import { StartFailure } from '../../tools/dev-stack/failure.js';
import { freePort } from '../../tools/dev-stack/system/free-port.js';
import { waitForExit } from '../../tools/dev-stack/system/run.js';
import type { FleetServer } from './fleet.js';

interface Running {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

interface ServerOptions {
  readonly name: FleetServer['name'];
  readonly startOn: (port: number) => Promise<Running>;
  /** Called with the id of every started process. */
  readonly onStart: (pid: number) => void;
}

const startWithinMs = 20_000;
const endWithinMs = 30_000;

/** Server of a fleet. It is not supervised: after `kill`, the caller starts it again. */
export class OwnServer implements FleetServer {
  network: TcpProxy | undefined;
  private running!: Running;

  private constructor(
    private readonly options: ServerOptions,
    private readonly port: number,
  ) {}

  static async start(options: ServerOptions): Promise<OwnServer> {
    const server = new OwnServer(options, await freePort());
    await server.start();
    return server;
  }

  get name(): FleetServer['name'] {
    return this.options.name;
  }

  get url(): string {
    return this.running.url;
  }

  get pid(): number {
    return this.running.pid;
  }

  /** Returns a URL of the server for apps, through the proxy if there is one. */
  urlForApps(url = this.url): string {
    return this.network?.through(url) ?? url;
  }

  async proxy(): Promise<void> {
    this.network = await TcpProxy.before(this.url);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void> {
    process.kill(this.pid, signal);
    if (!(await waitForExit(this.pid, endWithinMs))) throw new Error(`${this.name} does not exit after ${signal}`);
  }

  async start(): Promise<void> {
    const until = Date.now() + startWithinMs;
    for (;;) {
      try {
        this.running = await this.options.startOn(this.port);
        this.options.onStart(this.pid);
        return;
      } catch (error) {
        // The shared memory of a killed PostgreSQL is in use until its child processes exit
        if (!(error instanceof StartFailure) || Date.now() > until) throw error;
        await sleep(250);
      }
    }
  }

  async stop(): Promise<void> {
    this.network?.close();
    await this.running.stop();
  }
}
