import { setTimeout as sleep } from 'node:timers/promises';
import { type ImageSource, problems } from '#contracts';
import { DomainError } from '#kernel';
import { openQueueClients, type QueueClients } from '#request-queue';

/** What has just come back may refuse for a moment. */
const patienceMs = 10_000;

const isMissing = (error: unknown): boolean =>
  error instanceof DomainError && error.kind.code === problems['material.not-found'].code;

/** Asks the catalogue what images are made of, as the apps do. */
export class ImageSources {
  private constructor(private readonly clients: QueueClients) {}

  static async open(requestsUrl: string): Promise<ImageSources> {
    return new ImageSources(await openQueueClients({ app: 'operator', redisUrl: requestsUrl, services: ['catalog'] }));
  }

  /** Null when there is no such material. */
  async of(materialId: number): Promise<ImageSource | null> {
    for (const until = performance.now() + patienceMs; ;) {
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
