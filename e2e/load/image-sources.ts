import { setTimeout as sleep } from 'node:timers/promises';
import { type ImageSource, problems } from '#contracts';
import { DomainError } from '#kernel';
import { openQueueClients, type QueueClients } from '#request-queue';

/** Retry period, because a restarted service may reject requests briefly. */
const retryPeriodMs = 10_000;

const isMissing = (error: unknown): boolean =>
  error instanceof DomainError && error.kind.code === problems['material.not-found'].code;

/**
 * Client for the source data of images, which catalog returns over the request queue, as it does
 * for material-rendering. Retries for 10 s.
 */
export class ImageSources {
  private constructor(private readonly clients: QueueClients) {}

  static async open(requestsUrl: string): Promise<ImageSources> {
    return new ImageSources(await openQueueClients({ app: 'operator', redisUrl: requestsUrl, services: ['catalog'] }));
  }

  /** Returns the source data; null for a missing material. */
  async of(materialId: number): Promise<ImageSource | null> {
    for (const until = performance.now() + retryPeriodMs; ;) {
      try {
        return await this.clients.of('catalog').call('materials.image-source', { materialId });
      } catch (error) {
        if (isMissing(error)) return null;
        if (performance.now() > until) throw error;
        await sleep(100);
      }
    }
  }

  close(): Promise<void> {
    return this.clients.close();
  }
}
