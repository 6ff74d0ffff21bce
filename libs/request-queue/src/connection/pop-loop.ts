import { setTimeout as sleep } from 'node:timers/promises';
import { type QueueConnection } from './connection.js';

/** Timeout of a blocking pop; `CLIENT UNBLOCK` ends it earlier. */
const blockSeconds = 2;
const popTimeoutMs = 4_000;

interface PopLoopOptions {
  /** Separate connection, because it is blocked most of the time. */
  readonly connection: QueueConnection;
  readonly key: string;
  /** Returns how many entries may be popped now, or a promise while there is no capacity. */
  readonly capacity: () => number | Promise<number>;
  /** Must not throw. */
  readonly deliver: (entries: Buffer[]) => void;
}

/** Loop that pops entries from the head of a list while there is capacity. */
export class PopLoop {
  /** Time of the last reply of Redis, as `performance.now()`, for the liveness of the process. */
  lastPopAt = performance.now();
  private isStopping = false;
  private wake: () => void = () => undefined;
  private ended: Promise<void> | undefined;
  private client: { stream: object; id: number } | undefined;

  constructor(private readonly options: PopLoopOptions) {}

  start(): void {
    this.ended ??= this.loop();
  }

  /**
   * Stops the loop. Entries of the last pop are delivered. The blocked pop is ended from another
   * connection: closing the socket of a blocked pop lost 11 of 400 entries that were pushed at that
   * moment, `CLIENT UNBLOCK` none of 3,000.
   */
  async stop(commands: QueueConnection): Promise<void> {
    this.isStopping = true;
    this.wake();
    let isRunning = this.ended !== undefined;
    const ended = (this.ended ?? Promise.resolve()).then(() => (isRunning = false));
    while (isRunning) {
      const id = this.client?.id;
      // Repeated, because the first UNBLOCK may reach Redis before the pop does
      if (id) await commands.run((redis) => redis.client('UNBLOCK', id, 'TIMEOUT')).catch(() => undefined);
      await Promise.race([ended, sleep(50)]);
    }
  }

  private async loop(): Promise<void> {
    const { connection, capacity } = this.options;
    while (!this.isStopping) {
      try {
        await this.readClientId();
        const count = await this.untilStopped(capacity());
        if (count) await this.pop(count);
      } catch {
        await this.untilStopped<unknown>(connection.ready ? sleep(100) : connection.whenReady(1_000));
      }
    }
  }

  /**
   * Resolves with the awaited value, or with undefined when the loop stops. A race against one
   * promise of the whole loop would retain about 500 bytes of each iteration until the process
   * ends.
   */
  private untilStopped<Value>(awaited: Value | Promise<Value>): Promise<Value | undefined> {
    if (this.isStopping) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.wake = () => resolve(undefined);
      Promise.resolve(awaited).then(resolve, reject);
    });
  }

  private async readClientId(): Promise<void> {
    const { stream } = this.options.connection.redis;
    if (this.client?.stream === stream) return;
    this.client = { stream, id: await this.options.connection.run((redis) => redis.client('ID')) };
  }

  private async pop(count: number): Promise<void> {
    await this.options.connection.run(async (redis) => {
      const popped = await redis.blmpopBuffer(blockSeconds, 1, this.options.key, 'LEFT', 'COUNT', count);
      this.lastPopAt = performance.now();
      // Inside the command: entries that arrive after the timeout are popped and must be delivered
      if (popped) this.options.deliver(popped[1]);
    }, popTimeoutMs);
  }
}
