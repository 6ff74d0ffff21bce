import { type QueueConnection } from './connection.js';
import { replyListTtlMs } from './keys.js';
import { inCommands, PerTurn } from './per-turn.js';

/** Pushes the replies of one event-loop turn, one command for each client process. */
export class ReplyWriter {
  private readonly replies = new PerTurn<Buffer>((key, frames) => {
    for (const chunk of inCommands(frames, (frame) => frame.length)) this.track(this.push(key, chunk));
  });
  private readonly open = new Set<Promise<void>>();

  constructor(
    private readonly connection: QueueConnection,
    private readonly onLost: (replies: number, error: unknown) => void,
  ) {}

  add(replyKey: string, frame: Buffer): void {
    this.replies.add(replyKey, frame);
  }

  /** Resolves when everything added so far was pushed or given up. */
  async flushed(): Promise<void> {
    this.replies.flushAll();
    await Promise.all(this.open);
  }

  private track(push: Promise<void>): void {
    this.open.add(push);
    void push.finally(() => this.open.delete(push));
  }

  /** A reply whose push is lost is not pushed again: its caller sees 504, which means unknown. */
  private async push(key: string, frames: Buffer[]): Promise<void> {
    try {
      await this.connection.run(async (redis) => {
        const results = await redis
          .pipeline()
          .rpush(key, ...frames)
          .pexpire(key, replyListTtlMs)
          .exec();
        const failure = results?.[0]?.[0];
        if (failure) throw failure;
      });
    } catch (error) {
      this.onLost(frames.length, error);
    }
  }
}
