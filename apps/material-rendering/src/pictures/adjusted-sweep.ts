import type { OnApplicationShutdown } from '@nestjs/common';
import type { Log } from '#observability';
import type { BlobStore, ListedBlob } from '#storage';

/** What adjusted pictures may take together, in bytes: some 40,000 of a list's size. */
const mostBytes = 1024 ** 3;
const sweepEveryMs = 60_000;

/**
 * Keeps the room that adjusted pictures take bounded. A client derives their addresses, as many as it likes, so they are
 * kept as in a cache: the oldest go first, and one that is asked for again is drawn again.
 */
export class AdjustedSweep implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly blobs: BlobStore,
    private readonly log: Log,
    private readonly limit = mostBytes,
  ) {}

  /** Once a minute from now on; never keeps a process alive. */
  start(): void {
    const sweep = (): void => {
      this.sweep().then(
        (removed) => removed > 0 && this.log.info({ removed }, 'oldest adjusted pictures removed'),
        (error: unknown) => this.log.warn({ err: error }, 'adjusted pictures could not be removed'),
      );
    };
    this.timer = setInterval(sweep, sweepEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** @returns how many were removed */
  async sweep(): Promise<number> {
    const all: ListedBlob[] = [];
    for await (const blob of this.blobs.factsBelow('adjusted')) all.push(blob);
    all.sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime());
    let excess = all.reduce((sum, { size }) => sum + size, 0) - this.limit;
    let removed = 0;
    for (const { key, size } of all) {
      if (excess <= 0) break;
      await this.blobs.delete(key);
      excess -= size;
      removed += 1;
    }
    return removed;
  }
}
