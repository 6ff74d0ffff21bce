import { ReplyError } from 'ioredis';
import { BatchPerTick } from '#concurrency';
import { type QueueConnection } from '../connection/connection.js';
import { replyListTtlMs } from '../wire/keys.js';
import { splitIntoCommands } from '../connection/split-into-commands.js';

/** Maximum time that a reply waits for a connection. The default timeout of a read is 5 s. */
const reconnectTimeoutMs = 4_000;

/** Pushes the replies of one tick of the event loop together, for each client process. */
export class ReplyWriter {
  private readonly replies = new BatchPerTick<Buffer>((key, frames) => {
    for (const chunk of splitIntoCommands(frames, (frame) => frame.length)) this.track(this.push(key, chunk));
  });
  private readonly open = new Set<Promise<void>>();

  constructor(
    private readonly connection: QueueConnection,
    private readonly onLost: (replies: number, error: unknown) => void,
  ) {}

  add(replyKey: string, frame: Buffer): void {
    this.replies.add(replyKey, frame);
  }

  /** Resolves when all added replies are pushed or reported as lost. */
  async flushed(): Promise<void> {
    this.replies.flushAll();
    await Promise.all(this.open);
  }

  private track(push: Promise<void>): void {
    this.open.add(push);
    void push.finally(() => this.open.delete(push));
  }

  /**
   * Pushes replies. If the connection is lost, pushes them again on the next one, for which it
   * waits at most four seconds; the caller ignores the second copy of a reply. Replies that could
   * not be pushed are lost: their callers get 504 (unknown).
   */
  private async push(key: string, frames: Buffer[]): Promise<void> {
    try {
      await this.pushOnce(key, frames).catch(async (error: unknown) => {
        if (error instanceof ReplyError || !(await this.connection.whenReady(reconnectTimeoutMs))) throw error;
        await this.pushOnce(key, frames);
      });
    } catch (error) {
      this.onLost(frames.length, error);
    }
  }

  private async pushOnce(key: string, frames: Buffer[]): Promise<void> {
    await this.connection.run(async (redis) => {
      const results = await redis
        .pipeline()
        .rpush(key, ...frames)
        .pexpire(key, replyListTtlMs)
        .exec();
      const failure = results?.[0]?.[0];
      if (failure) throw failure;
    });
  }
}
