import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BlobStore } from '#storage';
import { Log } from '#observability';

/** An upload lives for the one request it came with, a partial file for one write; a process that died left what is older. */
const staleAfterMs = 3_600_000;
const sweepEveryMs = 3_600_000;

/** Removes uploads that nobody took and blobs that nobody wrote to the end. */
@Injectable()
export class UploadSweeper implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly blobs: BlobStore,
    private readonly log: Log,
  ) {}

  /** Once an hour from now on; never keeps a process alive. */
  start(): void {
    const sweep = (): void => {
      this.sweep(new Date()).then(
        (removed) => removed > 0 && this.log.info({ removed }, 'stale uploads and partial files removed'),
        (error: unknown) => this.log.warn({ err: error }, 'stale uploads could not be removed'),
      );
    };
    this.timer = setInterval(sweep, sweepEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** @returns how many were removed */
  async sweep(now: Date): Promise<number> {
    let removed = await this.blobs.deletePartials(new Date(now.getTime() - staleAfterMs));
    for await (const { key, modifiedAt } of this.blobs.listStats('uploads')) {
      if (now.getTime() - modifiedAt.getTime() < staleAfterMs) continue;
      await this.blobs.delete(key);
      removed += 1;
    }
    return removed;
  }
}
