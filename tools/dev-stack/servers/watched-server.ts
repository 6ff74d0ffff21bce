import { BackOff } from '../apps/back-off.js';
import { print } from '../terminal/console.js';
import { isAlive } from '../system/run.js';

interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  readonly version?: string;
  stop(): Promise<void>;
}

const pollIntervalMs = 1_000;

/**
 * Supervised server, restarted on its port and with its data after an unexpected exit. Its process
 * id is polled, because PostgreSQL, which pg_ctl starts, is not a child process.
 */
export class WatchedServer<Server extends RunningServer> {
  private readonly backOff = new BackOff();
  private startedAt = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private restarting: Promise<void> = Promise.resolve();
  private stopped = false;

  private constructor(
    private readonly name: string,
    private server: Server,
    private readonly startOn: (port: number) => Promise<Server>,
  ) {
    this.lookIn(pollIntervalMs);
  }

  /** Starts a server and logs it. @throws the error of the start */
  static async start<Server extends RunningServer>(
    name: string,
    port: number,
    startOn: (port: number) => Promise<Server>,
  ): Promise<WatchedServer<Server>> {
    const since = Date.now();
    const server = await startOn(port);
    const title = server.version ? `${name} ${server.version}` : name;
    print(`${title} runs on port ${server.port} (${((Date.now() - since) / 1000).toFixed(1)} s)`);
    return new WatchedServer(name, server, startOn);
  }

  /** The current server. Its URLs are the same after a restart. */
  get current(): Server {
    return this.server;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.restarting;
    await this.server.stop();
  }

  private lookIn(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      if (isAlive(this.server.pid)) this.lookIn(pollIntervalMs);
      else this.restartIn(this.backOff.nextDelayMs(Date.now() - this.startedAt));
    }, ms);
  }

  private restartIn(delay: number): void {
    print(`${this.name} exited, restarting in ${delay / 1000} s`);
    this.timer = setTimeout(() => {
      this.restarting = this.restart();
    }, delay);
  }

  private async restart(): Promise<void> {
    this.startedAt = Date.now();
    try {
      this.server = await this.startOn(this.server.port);
      print(`${this.name} restarted on port ${this.server.port}`);
      this.lookIn(pollIntervalMs);
    } catch (error) {
      print(`${this.name}: ${(error as Error).message}`);
      if (!this.stopped) this.restartIn(this.backOff.nextDelayMs(0));
    }
  }
}
