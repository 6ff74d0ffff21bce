import { Injectable } from '@nestjs/common';
import { backupIsRunning, Database } from '#persistence';
import { BlobStore } from '#storage';

const batchSize = 100;
const concurrency = 8;
/** Locks the rows in key order, so that two workers with the same keys cannot deadlock. */
const isAmong = 'key in (select key from discarded_blobs where key = any($1) order by key for update)';

/**
 * Keys of blobs that no texture uses (yet), with the time of their deletion. Keys of this version,
 * `textures/<hash>.<random>`, are used once, so that a late or repeated deletion cannot delete
 * bytes in use. The previous version writes `textures/<hash>` again, so only one worker may delete
 * such a key.
 */
@Injectable()
export class DiscardedBlobRepository {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * Deletes the blobs that are due; none during a backup, because the snapshot of the backup may
   * refer to them.
   *
   * @param batches maximum number of batches of 100
   * @returns how many blobs were deleted
   */
  delete(batches: number): Promise<number> {
    return this.deleteClaimed(batches, () => this.claim());
  }

  /**
   * Deletes all blobs that are due, and those with keys of this version that other workers have
   * claimed, because such a worker may have ended. Deletes none during a backup.
   */
  async deleteAll(): Promise<void> {
    await this.deleteClaimed(Infinity, () => this.reclaim());
  }

  private async deleteClaimed(batches: number, claim: () => Promise<string[]>): Promise<number> {
    let deleted = 0;
    for (let n = 0; n < batches; n += 1) {
      const keys = await claim();
      if (keys.length === 0) break;
      // Checked after the claim: the texture rows of these blobs are deleted by then, so that the
      // snapshot of a later backup does not refer to them
      if (await backupIsRunning(this.database)) {
        await this.release(keys);
        break;
      }
      await this.deleteBlobs(keys);
      deleted += keys.length;
    }
    return deleted;
  }

  /**
   * Deletes announced blobs that no texture uses: the request was rejected, or a concurrent upload
   * of the same bytes was stored first.
   */
  async drop(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.deleteBlobs(keys);
  }

  private claim(): Promise<string[]> {
    return this.claimWhere(`delete_at <= now() order by delete_at limit ${batchSize} for update skip locked`);
  }

  private reclaim(): Promise<string[]> {
    return this.claimWhere(
      `delete_at <= now() or (claimed and key like '%.%') order by key limit ${batchSize} for update`,
    );
  }

  private async claimWhere(condition: string): Promise<string[]> {
    const rows = await this.database.write<{ key: string }>(
      `update discarded_blobs d set claimed = true, delete_at = now() + interval '10 minutes'
       from (select key from discarded_blobs where ${condition}) due
       where d.key = due.key returning d.key`,
      [],
    );
    return rows.map(({ key }) => key);
  }

  private async release(keys: readonly string[]): Promise<void> {
    await this.database.query(`update discarded_blobs set delete_at = now() where ${isAmong}`, [keys]);
  }

  private async deleteBlobs(keys: readonly string[]): Promise<void> {
    const rest = keys.values();
    const work = async (): Promise<void> => {
      for (const key of rest) await this.blobs.delete(key);
    };
    const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
    const failed = workers.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) {
      await this.release(keys);
      throw failed.reason;
    }
    await this.database.query(`delete from discarded_blobs where ${isAmong}`, [keys]);
  }
}
