import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { externalImagesFolder } from '#contracts';
import { BlobStore } from '#storage';
import { Log } from '#observability';

/**
 * Age after which uploads and partial files are deleted. An upload exists for one request, a
 * partial file for one write: older ones are those of a killed process.
 */
const staleAfterMs = 3_600_000;
/**
 * Age after which a copy of an external image is deleted, and stored again when it is shown: its
 * owner may have removed it, or its host may have another image at the same URL.
 */
const externalImageTtlMs = 7 * 24 * 3_600_000;
const sweepEveryMs = 3_600_000;

/** Deletes uploads that no request has deleted, incomplete blobs, and old external images. */
@Injectable()
export class UploadSweeper implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly blobs: BlobStore,
    private readonly log: Log,
  ) {}

  /** Sweeps once an hour; the timer does not prevent the exit of the process. */
  start(): void {
    const sweep = (): void => {
      this.sweep(new Date()).then(
        (deleted) =>
          deleted > 0 && this.log.info({ deleted }, 'Stale uploads, partial files and external images deleted'),
        (error: unknown) => this.log.warn({ err: error }, 'Deleting stale uploads failed, retrying in 1 h'),
      );
    };
    this.timer = setInterval(sweep, sweepEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** @returns the number of deleted files */
  async sweep(now: Date): Promise<number> {
    let deleted = await this.blobs.deletePartials(new Date(now.getTime() - staleAfterMs));
    deleted += await this.deleteBefore('uploads', now.getTime() - staleAfterMs);
    deleted += await this.deleteBefore(externalImagesFolder, now.getTime() - externalImageTtlMs);
    return deleted;
  }

  private async deleteBefore(folder: string, time: number): Promise<number> {
    let deleted = 0;
    for await (const { key, modifiedAt } of this.blobs.listStats(folder)) {
      if (modifiedAt.getTime() > time) continue;
      await this.blobs.delete(key);
      deleted += 1;
    }
    return deleted;
  }
}
