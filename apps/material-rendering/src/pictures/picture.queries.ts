import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { problems, type PictureRequest, type PictureSource } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients, runInCall } from '#request-queue';

/** How long an answer of the catalogue is used again, in milliseconds: a page loads many pictures of one product at once. */
const rememberedMs = 2_000;
const remembered = 500;
const askWithinMs = 5_000;

interface Memory {
  readonly source: Promise<PictureSource | null>;
  readonly until: number;
}

/** Asks the catalogue what pictures are made of. */
@Injectable()
export class PictureQueries {
  private readonly memory = new Map<string, Memory>();

  constructor(@Inject(QueueClients) private readonly clients: QueueClients) {}

  /** What the picture shows, possibly as it was a moment ago; null when there is no such material. */
  sourceOf({ materialId, filePath, itemName }: PictureRequest): Promise<PictureSource | null> {
    const key = `${filePath} ${itemName}`;
    const now = performance.now();
    const known = this.memory.get(key);
    if (known !== undefined && known.until > now) return known.source;
    const source = this.source(materialId, itemName);
    this.remember(key, { source, until: now + rememberedMs });
    source.catch(() => this.memory.delete(key));
    return source;
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
        this.clients.catalog.call('materials.picture-source', { materialId, itemName }),
      );
    } catch (error) {
      if (error instanceof DomainError && error.kind.code === problems['material.not-found'].code) return null;
      throw error;
    }
  }

  /** The oldest entry leaves when the memory is full: a map keeps the order of insertion. */
  private remember(key: string, memory: Memory): void {
    this.memory.delete(key);
    const [oldest] = this.memory.keys();
    if (oldest !== undefined && this.memory.size >= remembered) this.memory.delete(oldest);
    this.memory.set(key, memory);
  }
}
