import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { previewsFolder } from '#contracts';
import { Log } from '#observability';
import { BlobStore } from '#storage';
import { RenderingEnv } from '../env.js';
import { ImageStore } from '../images/image.store.js';
import { previewTexturesFolder, sweepTimeOf } from './preview.rules.js';

const maxIntervalMs = 300_000;

/**
 * Deletes expired previews and their artworks. Several replicas may sweep concurrently: no request
 * writes below a sweep time that has passed, except a rendering that began before it, whose image
 * the next sweep deletes.
 */
@Injectable()
export class PreviewSweeper implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly blobs: BlobStore,
    private readonly images: ImageStore,
    private readonly log: Log,
    private readonly env: RenderingEnv,
  ) {}

  /** Sweeps every five minutes; the timer does not prevent the exit of the process. */
  start(): void {
    const sweep = (): void => {
      this.sweep(new Date()).catch((error: unknown) =>
        this.log.warn({ err: error }, 'Sweep of previews failed, retrying in 5 min'),
      );
    };
    this.timer = setInterval(sweep, Math.min(maxIntervalMs, 1_000 * this.env.PREVIEW_SECONDS)).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async sweep(now: Date): Promise<void> {
    const isOver = (sweepAt: number): boolean => 1_000 * sweepAt <= now.getTime();
    for await (const key of this.blobs.list(previewTexturesFolder))
      if (isOver(sweepTimeOf(key))) await this.blobs.delete(key);
    const sweepTimes = new Set<number>();
    for await (const key of this.images.list(previewsFolder)) sweepTimes.add(sweepTimeOf(key));
    for (const sweepAt of sweepTimes)
      if (isOver(sweepAt)) await this.images.deletePrefix(`${previewsFolder}/${sweepAt}`);
  }
}
