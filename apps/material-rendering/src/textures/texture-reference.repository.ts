import { Injectable } from '@nestjs/common';
import type { TextureReference } from '#contracts';
import { Database, dismissUser } from '#persistence';
import { deleteUnreferenced } from './texture.repository.js';

/** A reference that is to be checked. `checkAt` changes with each further use; microseconds, hence a text. */
export interface ClaimedReference extends TextureReference {
  readonly checkAt: string;
}

/** References of one round trip, within what the catalogue takes. */
const batch = 200;

const given = `jsonb_to_recordset($1::jsonb) as given ("userId" bigint, hash text, "checkAt" timestamptz)`;
const isUnchanged = `r.user_id = given."userId" and r.hash = given.hash and r.check_at = given."checkAt"`;

/** The references that the sweep works on. */
@Injectable()
export class TextureReferenceRepository {
  constructor(private readonly database: Database) {}

  /** Claims some references that are due, for ten minutes: other replicas pass over them. */
  async claim(): Promise<ClaimedReference[]> {
    return this.database.write<ClaimedReference>(
      `update texture_references r set check_at = clock_timestamp() + interval '10 minutes'
       from (select user_id, hash from texture_references where check_at <= now()
             order by check_at limit ${batch} for update skip locked) due
       where r.user_id = due.user_id and r.hash = due.hash
       returning r.user_id as "userId", r.hash, r.check_at::text as "checkAt"`,
      [],
    );
  }

  /** Used references are due again in a month, in case an event is lost. */
  async settle(used: readonly ClaimedReference[]): Promise<void> {
    await this.database.write(
      `update texture_references r set check_at = now() + interval '30 days' from ${given} where ${isUnchanged}`,
      [JSON.stringify(used)],
    );
  }

  /** Deletes unused references that were not renewed since the claim, and the textures that have no other reference. */
  async remove(unused: readonly ClaimedReference[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(`delete from texture_references r using ${given} where ${isUnchanged}`, [JSON.stringify(unused)]);
      await deleteUnreferenced(tx, [...new Set(unused.map(({ hash }) => hash))]);
    });
  }

  /** From the commit on no texture is taken in for the user. */
  markUserDeleted(userId: number): Promise<void> {
    return this.database.transaction((tx) => dismissUser(tx, userId));
  }

  /** Deletes some references of a deleted user. Returns how many: none when there are no more. */
  async deleteBatchOf(userId: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const [rows] = await tx.query<[{ hash: string }[], number]>(
        `delete from texture_references where user_id = $1 and hash in
           (select hash from texture_references where user_id = $1 order by hash limit ${batch}) returning hash`,
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
