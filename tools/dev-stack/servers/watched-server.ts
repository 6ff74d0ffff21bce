import { BackOff } from '../apps/back-off.js';
import { say } from '../terminal/console.js';
import { isAlive } from '../system/run.js';

interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  readonly version?: string;
  stop(): Promise<void>;
}

const lookEveryMs = 1_000;

/**
 * A server that is started again, on its port and with its data, when it ends without being asked to. It is no child of
 * this process (it may outlive a killed supervisor), so somebody has to look.
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
    this.lookIn(lookEveryMs);
  }

  /** Starts a server and says so. @throws what the start throws */
  static async start<Server extends RunningServer>(
    name: string,
    port: number,
    startOn: (port: number) => Promise<Server>,
  ): Promise<WatchedServer<Server>> {
    const since = Date.now();
    const server = await startOn(port);
    const title = server.version ? `${name} ${server.version}` : name;
    say(`${title} runs on port ${server.port} (${((Date.now() - since) / 1000).toFixed(1)} s)`);
    return new WatchedServer(name, server, startOn);
  }

  /** Its URLs are the same after a restart. */
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
      if (isAlive(this.server.pid)) this.lookIn(lookEveryMs);
      else this.restartIn(this.backOff.nextDelayMs(Date.now() - this.startedAt));
    }, ms);
  }

  private restartIn(delay: number): void {
    say(`${this.name} ended; starting it again in ${delay / 1000} s`);
    this.timer = setTimeout(() => {
      this.restarting = this.restart();
    }, delay);
  }

  private async restart(): Promise<void> {
    this.startedAt = Date.now();
    try {
      this.server = await this.startOn(this.server.port);
      say(`${this.name} runs again on port ${this.server.port}`);
      this.lookIn(lookEveryMs);
    } catch (error) {
      say(`${this.name}: ${(error as Error).message}`);
      if (!this.stopped) this.restartIn(this.backOff.nextDelayMs(0));
    }
  }
}
