import { Injectable } from '@nestjs/common';
import type { Texture } from '#contracts';
import { Database, lockedAuthor, type Tx, userDeleted, violatedConstraint } from '#persistence';
import type { TextTask } from '../texts/text.renderer.js';
import { checkQuota } from './texture-quota.rules.js';

/** Texture with the key of its bytes in the blob store. */
export interface StoredTexture extends Texture {
  readonly key: string;
}

/** Texture to which a user gets a reference. */
export interface WantedTexture {
  readonly texture: Texture;
  /** Key of the bytes that this request has stored; null for a texture that was stored before. */
  readonly key: string | null;
  /** Key of the bytes that the blob store has lost, which `key` replaces. */
  readonly lost: string | null;
  /** Text that was rendered; null for an image of a client. */
  readonly text: TextTask | null;
}

/**
 * Grace period of a texture that no material uses, measured by the clock of the database. A texture
 * is stored before its material: requests end after 28 s, their transactions some seconds later.
 */
const graceInterval = "interval '15 minutes'";
/**
 * Grace period of references of user 0. While the previous version runs beside this one, it reuses
 * stored textures without a reference.
 */
const graceWithoutUser = "interval '1 day'";

const keyOf = (table: string): string => `coalesce(${table}.blob_key, 'textures/' || ${table}.hash)`;

/**
 * Statement that adds references, in one round trip and one transaction. It first locks the author
 * and the intake, in functions that see everything that was committed before their locks. It writes
 * nothing for a deleted user or beyond the quota.
 */
const addReferencesSql = `
  with ${lockedAuthor('$1')}, given as materialized (
    select * from jsonb_to_recordset($2::jsonb) as given
      (hash text, format text, width integer, height integer, bytes integer, "dominantRgb" text, animated boolean, key text, lost text, text jsonb)
  ), intake as materialized (
    select locked.* from author, lateral lock_intake($1, array(select hash from given)) locked where user_exists
  ), allowed as materialized (
    select given.* from given, intake, lateral
      (select coalesce(sum(bytes), 0) as bytes from given where hash <> all (own)) added
    where added.bytes = 0 or used + added.bytes <= $3::float8
  ), announced as (
    -- Missing or claimed after an hour: the blob is being deleted
    select key from discarded_blobs where key in (select key from allowed) and not claimed order by key for update
  ), stored as (
    insert into textures (hash, format, width, height, bytes, dominant_rgb, animated, blob_key, text)
    select hash, format, width, height, bytes, "dominantRgb", coalesce(animated, false), key, text from allowed join announced using (key) order by hash
    on conflict (hash) do update set blob_key = excluded.blob_key
      where ${keyOf('textures')} = (select lost from given where given.hash = excluded.hash)
    returning blob_key as key
  ), claimed as (
    delete from discarded_blobs using stored where discarded_blobs.key = stored.key
  ), referred as (
    insert into texture_references (user_id, hash, bytes, check_at)
    select $1::bigint, hash, bytes, now() + ${graceInterval} from allowed order by hash
    on conflict (user_id, hash) do update set check_at = excluded.check_at, bytes = excluded.bytes
  )
  select user_exists as "userExists", used, own, array(select key from stored) as stored from author left join intake on true`;

interface Referred {
  readonly userExists: boolean;
  readonly used: number;
  readonly own: string[];
  readonly stored: string[];
}

/** Loads and saves textures and the references of users. */
@Injectable()
export class TextureRepository {
  constructor(private readonly database: Database) {}

  /** Returns a texture; null if it is missing. */
  async find(hash: string): Promise<StoredTexture | null> {
    const [found] = await this.database.read<StoredTexture>(
      `select hash, format, width, height, bytes, dominant_rgb as "dominantRgb", animated, ${keyOf('textures')} as key
       from textures where hash = $1`,
      [hash],
    );
    return found ?? null;
  }

  /** Returns the text that was rendered as a texture; null for other textures. */
  async textOf(hash: string): Promise<TextTask | null> {
    const [found] = await this.database.read<{ text: TextTask | null }>('select text from textures where hash = $1', [
      hash,
    ]);
    return found?.text ?? null;
  }

  /**
   * Announces keys before their blobs are written: the blob of a key that no texture uses after an
   * hour is deleted.
   */
  async announce(keys: readonly string[]): Promise<void> {
    await this.database.write(
      `insert into discarded_blobs (key, delete_at) select key, now() + interval '1 hour' from unnest($1::text[]) as key`,
      [keys],
    );
  }

  /**
   * Adds textures and the user's references to them in one transaction. A wanted texture whose
   * `key` is null was stored earlier: the foreign key fails if it has been swept since. A
   * concurrent sweep waits for this transaction, and then finds the reference.
   *
   * @returns the keys that textures use now; a key is missing if a concurrent request has stored
   *   its texture first. Null, without any change, if a texture with `key` null or the blob of a
   *   key was swept
   * @param quotaBytes of all textures of the user
   * @throws DomainError `user.not-found` for a deleted user
   * @throws TextureQuotaExceeded
   */
  async addReferences(
    userId: number,
    wanted: readonly WantedTexture[],
    quotaBytes: number,
  ): Promise<ReadonlySet<string> | null> {
    const rows = wanted.map(({ texture, key, lost, text }) => ({ ...texture, key, lost, text }));
    const parameters = [userId, JSON.stringify(rows), quotaBytes];
    let referred: Referred;
    try {
      [referred] = (await this.database.write<Referred>(addReferencesSql, parameters)) as [Referred];
    } catch (error) {
      if (violatedConstraint(error) === 'texture_references_hash_fkey') return null;
      throw error;
    }
    const { userExists, used, own, stored } = referred;
    if (!userExists) throw userDeleted(userId);
    checkQuota(
      quotaBytes,
      used,
      wanted.flatMap(({ texture }) => (own.includes(texture.hash) ? [] : [texture])),
    );
    return new Set(stored);
  }

  /** Schedules a check of the textures of a deleted material after the grace period. */
  async scheduleCheck(userId: number, hashes: readonly string[]): Promise<void> {
    await this.database.query(
      `update texture_references set check_at = now() + case user_id when 0 then ${graceWithoutUser} else ${graceInterval} end
       where user_id in (0, $1) and hash = any($2)`,
      [userId, hashes],
    );
  }
}

/**
 * Deletes the given textures without a reference, in a transaction that has deleted references.
 * Locks the rows first, so that it waits for concurrent requests and sees their references.
 */
export async function deleteUnreferenced(tx: Tx, hashes: readonly string[]): Promise<void> {
  await tx.query('select from textures where hash = any($1) order by hash for update', [hashes]);
  await tx.query(
    `with deleted as (
       delete from textures where hash = any($1)
         and not exists (select from texture_references r where r.hash = textures.hash)
       returning ${keyOf('textures')} as key
     )
     insert into discarded_blobs (key, delete_at) select key, now() from deleted order by key
     on conflict (key) do update set delete_at = excluded.delete_at`,
    [hashes],
  );
}
