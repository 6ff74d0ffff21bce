import { Injectable } from '@nestjs/common';
import type { TextureReference } from '#contracts';
import { Database, markUserDeleted } from '#persistence';
import { deleteUnreferenced } from './texture.repository.js';

/**
 * Reference to check. `checkAt` changes with each further use. It is a text to preserve
 * microseconds.
 */
export interface ClaimedReference extends TextureReference {
  readonly checkAt: string;
}

/** References per round trip, within the limit of the catalog's operation. */
const batchSize = 200;

const given = `jsonb_to_recordset($1::jsonb) as given ("userId" bigint, hash text, "checkAt" timestamptz)`;
const isUnchanged = `r.user_id = given."userId" and r.hash = given.hash and r.check_at = given."checkAt"`;

/** Repository of texture references: checks by the sweep, and deletion for a deleted user. */
@Injectable()
export class TextureReferenceRepository {
  constructor(private readonly database: Database) {}

  /** Claims up to 200 references that are due. Other replicas skip them for ten minutes. */
  async claim(): Promise<ClaimedReference[]> {
    return this.database.write<ClaimedReference>(
      `update texture_references r set check_at = clock_timestamp() + interval '10 minutes'
       from (select user_id, hash from texture_references where check_at <= now()
             order by check_at limit ${batchSize} for update skip locked) due
       where r.user_id = due.user_id and r.hash = due.hash
       returning r.user_id as "userId", r.hash, r.check_at::text as "checkAt"`,
      [],
    );
  }

  /** Schedules the next check of used references in 30 days, in case an event is lost. */
  async postponeCheck(used: readonly ClaimedReference[]): Promise<void> {
    await this.database.write(
      `update texture_references r set check_at = now() + interval '30 days' from ${given} where ${isUnchanged}`,
      [JSON.stringify(used)],
    );
  }

  /**
   * Deletes unused references that were not renewed since the claim, and the textures without
   * another reference.
   */
  async remove(unused: readonly ClaimedReference[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(`delete from texture_references r using ${given} where ${isUnchanged}`, [JSON.stringify(unused)]);
      await deleteUnreferenced(tx, [...new Set(unused.map(({ hash }) => hash))]);
    });
  }

  /** Marks a user as deleted. After the commit, no texture is stored for the user. */
  markUserDeleted(userId: number): Promise<void> {
    return this.database.transaction((tx) => markUserDeleted(tx, userId));
  }

  async isUserDeleted(userId: number): Promise<boolean> {
    const deleted = await this.database.read('select from deleted_users where user_id = $1', [userId]);
    return deleted.length > 0;
  }

  /** Deletes a batch of references of a deleted user and returns their number, 0 at the end. */
  async deleteBatchOf(userId: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const [rows] = await tx.query<[{ hash: string }[], number]>(
        `delete from texture_references where user_id = $1 and hash in
           (select hash from texture_references where user_id = $1 order by hash limit ${batchSize}) returning hash`,
        [userId],
      );
      if (rows.length > 0)
        await deleteUnreferenced(
          tx,
          rows.map(({ hash }) => hash),
        );
      return rows.length;
    });
  }
}
