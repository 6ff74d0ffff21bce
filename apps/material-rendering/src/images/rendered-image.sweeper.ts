import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { evictedFolders } from '#contracts';
import { Log } from '#observability';
import { BlobStore, type ListedBlob } from '#storage';
import { RenderingEnv } from '../env.js';
import { renderingMetrics } from '#rendering/rendering.metrics.js';
import { type RenderedImage, RenderedImageRepository } from './rendered-image.repository.js';

/**
 * Images rendered between two sweeps can exceed the limit, by some 40 MB for each process that
 * renders.
 */
const sweepIntervalMs = 10_000;
const listingIntervalMs = 3_600_000;
const batchesPerSweep = 20;
const deleteConcurrency = 8;
const listingBatchSize = 500;

/**
 * Bounds the size of the images that were rendered on request, except those of `imagesToPrepare`.
 * Over the limit the least recently used ones are deleted, and rendered again on request. Several
 * replicas may sweep concurrently and find the same images (docs/adr/0019).
 */
@Injectable()
export class RenderedImageSweeper implements OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];

  /** Limit of the total size of the images rendered on request. */
  private readonly limitBytes: number;

  constructor(
    private readonly repository: RenderedImageRepository,
    private readonly blobs: BlobStore,
    private readonly log: Log,
    env: RenderingEnv,
  ) {
    this.limitBytes = env.RENDERED_IMAGES_MB * 1024 ** 2;
  }

  /**
   * Starts to sweep every ten seconds, and to add missing rows now and once an hour. The timers do
   * not prevent the exit of the process.
   */
  start(): void {
    const addRows = this.withoutOverlap('Listing of rendered images', () => this.addMissingRows());
    const sweep = this.withoutOverlap('Sweep of rendered images', () => this.sweep());
    this.timers.push(setInterval(addRows, listingIntervalMs).unref(), setInterval(sweep, sweepIntervalMs).unref());
    addRows();
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /**
   * Deletes the least recently used images over the limit, at most 20,000. Returns their number.
   */
  async sweep(): Promise<number> {
    const { requestedBytes, requestedEvicted } = renderingMetrics();
    let deleted = 0;
    for (let n = 0; n < batchesPerSweep; n += 1) {
      const { bytes, images } = await this.repository.overLimit(this.limitBytes);
      requestedBytes.set(bytes);
      const evicted = imagesToEvict(images, bytes - this.limitBytes);
      if (evicted.length === 0) break;
      await this.deleteBlobs(evicted);
      // After the blobs, so that the next sweep finds the rows again if this one fails or the
      // process ends
      await this.repository.deleteUnchanged(evicted);
      requestedEvicted.inc(evicted.length);
      deleted += evicted.length;
    }
    return deleted;
  }

  /**
   * Inserts rows for stored images that have none. The process that stored such an image ended
   * between blob and row, or the database lost the rows: the table is unlogged. Returns their
   * number.
   */
  async addMissingRows(): Promise<number> {
    let added = 0;
    for (const folder of evictedFolders)
      for await (const stored of inBatches(this.blobs.listStats(folder)))
        added += await this.repository.addMissing(stored);
    return added;
  }

  private async deleteBlobs(images: readonly RenderedImage[]): Promise<void> {
    const pending = images.values();
    const deletePending = async (): Promise<void> => {
      for (const { key } of pending) await this.blobs.delete(key);
    };
    await Promise.all(Array.from({ length: deleteConcurrency }, deletePending));
  }

  /** Returns a function that runs `work`, and has no effect while the previous run is active. */
  private withoutOverlap(name: string, work: () => Promise<number>): () => void {
    let isRunning = false;
    const run = async (): Promise<void> => {
      if (isRunning) return;
      isRunning = true;
      try {
        const images = await work();
        if (images > 0) this.log.info({ images }, `${name} done`);
      } catch (error) {
        this.log.warn({ err: error }, `${name} failed, retrying at the next interval`);
      } finally {
        isRunning = false;
      }
    };
    return () => void run();
  }
}

/** Returns the first images that have at least `excessBytes` together. */
function imagesToEvict(images: readonly RenderedImage[], excessBytes: number): RenderedImage[] {
  let remaining = excessBytes;
  return images.filter(({ bytes }) => {
    const isEvicted = remaining > 0;
    remaining -= bytes;
    return isEvicted;
  });
}

async function* inBatches(blobs: AsyncIterable<ListedBlob>): AsyncGenerator<ListedBlob[]> {
  let batch: ListedBlob[] = [];
  for await (const blob of blobs) {
    batch.push(blob);
    if (batch.length < listingBatchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
