import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { TextureReference } from '#contracts';
import { Log } from '#observability';
import { QueueClients, runInCall } from '#request-queue';
import { DiscardedBlobRepository } from './discarded-blob.repository.js';
import { type ClaimedReference, TextureReferenceRepository } from './texture-reference.repository.js';

const sweepEveryMs = 60_000;
const batchesPerRound = 20;
const callTimeoutMs = 5_000;

const nameOf = ({ userId, hash }: TextureReference): string => `${userId} ${hash}`;

/**
 * Deletes textures that no material uses. Several replicas may sweep concurrently: docs/adr/0017.
 */
@Injectable()
export class TextureSweeper implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly references: TextureReferenceRepository,
    private readonly discarded: DiscardedBlobRepository,
    private readonly clients: QueueClients,
    private readonly log: Log,
  ) {}

  /** Sweeps once a minute; the timer does not prevent the exit of the process. */
  start(): void {
    let isRunning = false;
    const sweep = async (): Promise<void> => {
      if (isRunning) return;
      isRunning = true;
      try {
        const deleted = await this.sweep();
        if (deleted > 0) this.log.info({ deleted }, 'Unused textures deleted');
      } catch (error) {
        this.log.warn({ err: error }, 'Texture sweep failed, retrying in 60 s');
      } finally {
        isRunning = false;
      }
    };
    this.timer = setInterval(() => void sweep(), sweepEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Checks up to 4,000 references and deletes up to 2,000 blobs. Returns how many blobs were
   * deleted.
   */
  async sweep(): Promise<number> {
    for (let n = 0; n < batchesPerRound; n += 1) {
      const claimed = await this.references.claim();
      if (claimed.length === 0) break;
      await this.check(claimed);
    }
    return this.discarded.delete(batchesPerRound);
  }

  /**
   * Deletes the references of a deleted user, and the textures without another reference with their
   * bytes. During a backup, the bytes are deleted after it.
   */
  async deleteAllOf(userId: number): Promise<void> {
    await this.references.markUserDeleted(userId);
    while ((await this.references.deleteBatchOf(userId)) > 0);
    await this.discarded.deleteAll();
  }

  private async check(claimed: readonly ClaimedReference[]): Promise<void> {
    const references = claimed.map(({ userId, hash }) => ({ userId, hash }));
    const used = await runInCall({ requestId: randomUUID(), timeoutMs: callTimeoutMs }, () =>
      this.clients.of('catalog').call('materials.used-textures', { references }),
    );
    const names = new Set(used.map(nameOf));
    await this.references.postponeCheck(claimed.filter((it) => names.has(nameOf(it))));
    await this.references.remove(claimed.filter((it) => !names.has(nameOf(it))));
  }
}
