import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { problems, type PictureRequest, type PictureSource } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients, runInCall } from '#request-queue';

/** How long a reading of the catalogue is used again, in milliseconds: a page loads many images of one product at once. */
const cachedMs = 2_000;
const mostCached = 500;
const askWithinMs = 5_000;

interface Reading {
  readonly source: Promise<PictureSource | null>;
  /** When it began: it shows whatever was committed before. */
  readonly began: number;
}

/** Asks the catalogue what pictures are made of. */
@Injectable()
export class PictureQueries {
  private readonly readings = new LRUCache<string, Reading>({ max: mostCached, ttl: cachedMs });

  constructor(private readonly clients: QueueClients) {}

  /**
   * The material that an image is asked of; null when there is none. May be some seconds old as long as it has the item, the
   * revision and the publication that are asked for: the client has seen them, so a reading without them is stale.
   * All callers with a stale reading share the next one.
   */
  async sourceOf(request: PictureRequest): Promise<PictureSource | null> {
    const key = `${request.filePath} ${request.itemName}`;
    const arrived = performance.now();
    for (;;) {
      const reading = this.readings.get(key) ?? this.begin(key, request);
      const source = await reading.source;
      if (reading.began >= arrived || isNewEnough(source, request)) return source;
      // Another waiter may have begun the next reading meanwhile
      if (this.readings.peek(key) === reading) this.begin(key, request);
    }
  }

  /**
   * A material as it is now; null when there is no such material.
   *
   * @param itemName leaves the other items out
   */
  async source(materialId: number, itemName?: string): Promise<PictureSource | null> {
    // In a call of its own: others are given the same answer, and what is stored is checked, also when whoever asked
    // does not wait any more
    const call = { requestId: randomUUID(), timeoutMs: askWithinMs };
    try {
      return await runInCall(call, () =>
        this.clients.of('catalog').call('materials.picture-source', { materialId, itemName }),
      );
    } catch (error) {
      if (error instanceof DomainError && error.kind.code === problems['material.not-found'].code) return null;
      throw error;
    }
  }

  private begin(key: string, { materialId, itemName }: PictureRequest): Reading {
    const reading = { source: this.source(materialId, itemName), began: performance.now() };
    reading.source.catch(() => this.readings.peek(key) === reading && this.readings.delete(key));
    this.readings.set(key, reading);
    return reading;
  }
}

function isNewEnough(source: PictureSource | null, { itemName, revision, draft }: PictureRequest): boolean {
  const product = source?.products.find((it) => it.itemName === itemName);
  return product !== undefined && product.revision >= revision && (product.published || draft);
}
