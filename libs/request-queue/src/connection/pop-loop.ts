import { setTimeout as sleep } from 'node:timers/promises';
import { type QueueConnection } from './connection.js';

/** How long a pop blocks; it ends earlier by `CLIENT UNBLOCK`. */
const blockSeconds = 2;
const popLimitMs = 4_000;

interface PopLoopOptions {
  /** A connection of its own: it is blocked nearly all the time. */
  readonly connection: QueueConnection;
  readonly key: string;
  /** How many entries may be taken now; a promise when none. */
  readonly room: () => number | Promise<number>;
  /** Must not throw. */
  readonly deliver: (entries: Buffer[]) => void;
}

/** Takes entries from the head of a list for as long as there is room for them. */
export class PopLoop {
  /** `performance.now()` of the last answer of Redis, for the liveness of the process. */
  lastPopAt = performance.now();
  private stopping = false;
  private wake: () => void = () => undefined;
  private ended: Promise<void> | undefined;
  private client: { stream: object; id: number } | undefined;

  constructor(private readonly options: PopLoopOptions) {}

  start(): void {
    this.ended ??= this.loop();
  }

  /**
   * Ends the loop. What the last pop still brings is delivered. The blocked pop is ended from another connection:
   * closing the socket of a blocked pop lost 11 of 400 entries that were pushed at that moment, `CLIENT UNBLOCK` none
   * of 3,000.
   */
  async stop(commands: QueueConnection): Promise<void> {
    this.stopping = true;
    this.wake();
    let running = this.ended !== undefined;
    const ended = (this.ended ?? Promise.resolve()).then(() => (running = false));
    while (running) {
      const id = this.client?.id;
      // Repeated, because the pop may not have reached Redis yet when the first one does
      if (id) await commands.run((redis) => redis.client('UNBLOCK', id, 'TIMEOUT')).catch(() => undefined);
      await Promise.race([ended, sleep(50)]);
    }
  }

  private async loop(): Promise<void> {
    const { connection, room } = this.options;
    while (!this.stopping) {
      try {
        await this.learnClientId();
        const count = await this.unlessStopped(room());
        if (count) await this.pop(count);
      } catch {
        await this.unlessStopped<unknown>(connection.ready ? sleep(100) : connection.whenReady(1_000));
      }
    }
  }

  /**
   * What is waited for, or undefined as soon as the loop stops. Not a race against one promise of the whole loop: that
   * would hold some 500 bytes of every round until the end of the process.
   */
  private unlessStopped<Value>(awaited: Value | Promise<Value>): Promise<Value | undefined> {
    if (this.stopping) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.wake = () => resolve(undefined);
      Promise.resolve(awaited).then(resolve, reject);
    });
  }

  private async learnClientId(): Promise<void> {
    const { stream } = this.options.connection.redis;
    if (this.client?.stream === stream) return;
    this.client = { stream, id: await this.options.connection.run((redis) => redis.client('ID')) };
  }

  private async pop(count: number): Promise<void> {
    await this.options.connection.run(async (redis) => {
      const popped = await redis.blmpopBuffer(blockSeconds, 1, this.options.key, 'LEFT', 'COUNT', count);
      this.lastPopAt = performance.now();
      // Inside the command and not after it: entries that come after the limit were taken and must still be served
      if (popped) this.options.deliver(popped[1]);
    }, popLimitMs);
  }
}
