import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { evictedFolders } from '#contracts';
import { Log } from '#observability';
import { BlobStore, type ListedBlob } from '#storage';
import { RenderingEnv } from '../env.js';
import { renderingMetrics } from '../rendering.metrics.js';
import { type DrawnImage, RenderedImageRepository } from './rendered-image.repository.js';

/** What clients add meanwhile is beyond the limit: some 40 MB of each process that draws. */
const sweepEveryMs = 10_000;
const countEveryMs = 3_600_000;
const batchesPerRound = 20;
const deletedAtOnce = 8;
const countedAtOnce = 500;

/**
 * Bounds the images that clients had drawn: over the limit the least recently used ones are deleted, and drawn again when
 * they are asked for. Any number of replicas may sweep at once, they find the same ones: docs/adr/0019.
 */
@Injectable()
export class RenderedImageSweeper implements OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];

  /** Of all images together, in bytes. */
  private readonly limit: number;

  constructor(
    private readonly repository: RenderedImageRepository,
    private readonly blobs: BlobStore,
    private readonly log: Log,
    env: RenderingEnv,
  ) {
    this.limit = env.DRAWN_IMAGES_MB * 1024 ** 2;
  }

  /** Sweeps every ten seconds and counts once an hour, and at the start, from now on; the timer does not prevent the exit of the process. */
  start(): void {
    const counting = this.alone('Count of drawn images', () => this.count());
    const sweeping = this.alone('Sweep of drawn images', () => this.sweep());
    this.timers.push(setInterval(counting, countEveryMs).unref(), setInterval(sweeping, sweepEveryMs).unref());
    counting();
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Deletes up to 20,000 images. Returns how many. */
  async sweep(): Promise<number> {
    const { drawnBytes, drawnEvicted } = renderingMetrics();
    let deleted = 0;
    for (let n = 0; n < batchesPerRound; n += 1) {
      const { bytes, images } = await this.repository.overLimit(this.limit);
      drawnBytes.set(bytes);
      const excess = inExcess(images, bytes - this.limit);
      if (excess.length === 0) break;
      await this.deleteBlobs(excess);
      // After the blobs: what fails, or ends here, is found again by its row
      await this.repository.removeUnchanged(excess);
      drawnEvicted.inc(excess.length);
      deleted += excess.length;
    }
    return deleted;
  }

  /**
   * Counts stored images without a row: their process ended between blob and row, or the rows were lost with the database,
   * which does not log them. Returns how many.
   */
  async count(): Promise<number> {
    let counted = 0;
    for (const folder of evictedFolders)
      for await (const stored of inBatches(this.blobs.factsBelow(folder)))
        counted += await this.repository.addFound(stored);
    return counted;
  }

  private async deleteBlobs(images: readonly DrawnImage[]): Promise<void> {
    const rest = images.values();
    const work = async (): Promise<void> => {
      for (const { key } of rest) await this.blobs.delete(key);
    };
    await Promise.all(Array.from({ length: deletedAtOnce }, work));
  }

  /** Leaves a round out while the one before runs. */
  private alone(what: string, work: () => Promise<number>): () => void {
    let isRunning = false;
    const run = async (): Promise<void> => {
      if (isRunning) return;
      isRunning = true;
      try {
        const images = await work();
        if (images > 0) this.log.info({ images }, `${what} done`);
      } catch (error) {
        this.log.warn({ err: error }, `${what} failed, it is done again`);
      } finally {
        isRunning = false;
      }
    };
    return () => void run();
  }
}

/** The first images that have as many bytes together as are too many. */
function inExcess(images: readonly DrawnImage[], excessBytes: number): DrawnImage[] {
  let rest = excessBytes;
  return images.filter(({ bytes }) => {
    const isExcess = rest > 0;
    rest -= bytes;
    return isExcess;
  });
}

async function* inBatches(blobs: AsyncIterable<ListedBlob>): AsyncGenerator<ListedBlob[]> {
  let batch: ListedBlob[] = [];
  for await (const blob of blobs) {
    batch.push(blob);
    if (batch.length < countedAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
