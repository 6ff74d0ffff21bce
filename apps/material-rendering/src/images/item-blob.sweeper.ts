import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { backupIsRunning, Database } from '#persistence';
import { Log } from '#observability';
import { QueueClients, runInCall } from '#request-queue';
import { BlobStore } from '#storage';

const sweepEveryMs = 3_600_000;
/** An import stores blobs before their item, within minutes, and stores those again that exist. */
const minAgeMs = 24 * 3_600_000;
const callTimeoutMs = 5_000;
const batchSize = 500;
/** Blobs of some 3,000 versions. The next sweep finds the others. */
const maxUnused = 10_000;

/**
 * Deletes layers and icons of imported items that no item uses: those of earlier versions, and of
 * imports that have failed. Previews and requests of the last seconds may still need the layers, so
 * a blob is deleted when two sweeps in succession have found it unused.
 */
@Injectable()
export class ItemBlobSweeper implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  /** Keys that the previous sweep has found unused. */
  private unused: ReadonlySet<string> = new Set();

  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
    private readonly log: Log,
  ) {}

  /** Sweeps once an hour; the timer does not prevent the exit of the process. */
  start(): void {
    const sweep = (): void => {
      this.sweep(new Date()).then(
        (deleted) => deleted > 0 && this.log.info({ deleted }, 'Unused layers and icons deleted'),
        (error: unknown) => this.log.warn({ err: error }, 'Deleting unused layers and icons failed, retrying in 1 h'),
      );
    };
    this.timer = setInterval(sweep, sweepEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** @returns the number of deleted blobs */
  async sweep(now: Date): Promise<number> {
    const latest = now.getTime() - minAgeMs;
    const unused = new Set<string>();
    for await (const keys of this.oldKeys(latest)) {
      for (const key of await this.unusedOf(keys)) if (unused.size < maxUnused) unused.add(key);
    }
    let deleted = 0;
    for (const key of unused) {
      // The snapshot of a backup may refer to blobs of an earlier version
      if (!this.unused.has(key) || (await backupIsRunning(this.database))) continue;
      if (await this.deleteUnused(key, latest)) deleted += 1;
    }
    this.unused = unused;
    return deleted;
  }

  /**
   * Deletes a blob unless an import has stored it again. Puts the blob back if an item uses it
   * after the deletion, because an import may have ended meanwhile, or if the catalog does not
   * reply. An import that ends later puts missing blobs again itself.
   *
   * @returns whether the blob is deleted
   */
  private async deleteUnused(key: string, latest: number): Promise<boolean> {
    const bytes = await this.blobs.get(key);
    const stored = await this.blobs.stat(key);
    if (!bytes || !stored || stored.modifiedAt.getTime() > latest) return false;
    await this.blobs.delete(key);
    let isUnused = false;
    try {
      isUnused = (await this.unusedOf([key])).length > 0;
    } finally {
      if (!isUnused) await this.blobs.put(key, bytes);
    }
    return isUnused;
  }

  private async *oldKeys(latest: number): AsyncIterable<string[]> {
    let batch: string[] = [];
    for (const folder of ['layers', 'icons'])
      for await (const { key, modifiedAt } of this.blobs.listStats(folder)) {
        if (modifiedAt.getTime() > latest) continue;
        batch.push(key);
        if (batch.length < batchSize) continue;
        yield batch;
        batch = [];
      }
    if (batch.length > 0) yield batch;
  }

  private async unusedOf(keys: readonly string[]): Promise<string[]> {
    const call = { requestId: randomUUID(), timeoutMs: callTimeoutMs };
    const used = await runInCall(call, () => this.clients.of('catalog').call('blanks.used-blobs', { keys: [...keys] }));
    const names = new Set(used.keys);
    return keys.filter((key) => !names.has(key));
  }
}
