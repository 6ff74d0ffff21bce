import { Injectable } from '@nestjs/common';
import { Database } from '#persistence';

/**
 * Row of an image that was rendered on request. Each recorded use changes `usedAt`, which is a text
 * to preserve microseconds.
 */
export interface RenderedImage {
  readonly key: string;
  readonly bytes: number;
  readonly usedAt: string;
}

/**
 * A use within a minute of the previous recorded one is not written, so that a popular image costs
 * one row version a minute.
 */
const isUseOutdated = `used_at < now() - interval '1 minute'`;

/**
 * Table `drawn_images`: the images rendered on request, except those of `imagesToPrepare`, with
 * their time of last use. Their blobs are below `drawn/` and `blanks/`. A row may temporarily be
 * missing, or exist without a blob: the blob store is authoritative, see
 * `RenderedImageSweeper.addMissingRows`.
 */
@Injectable()
export class RenderedImageRepository {
  constructor(private readonly database: Database) {}

  /** Inserts or updates the row of an image that was just stored. */
  async add(key: string, bytes: number): Promise<void> {
    await this.database.write(
      `insert into drawn_images (key, bytes, used_at) values ($1, $2, clock_timestamp())
       on conflict (key) do update set bytes = excluded.bytes, used_at = excluded.used_at`,
      [key, bytes],
    );
  }

  /**
   * Records the use of images. Locked rows are skipped, so that concurrent calls do not wait for
   * each other.
   */
  async markUsed(keys: readonly string[]): Promise<void> {
    await this.database.write(
      `update drawn_images set used_at = clock_timestamp() where key in
         (select key from drawn_images where key = any($1) and ${isUseOutdated} order by key for update skip locked)`,
      [keys],
    );
  }

  /** Inserts rows for stored images that have none. Returns their number. */
  async addMissing(stored: readonly { key: string; size: number; modifiedAt: Date }[]): Promise<number> {
    const added = await this.database.write(
      `insert into drawn_images (key, bytes, used_at)
       select key, size, least("modifiedAt", now()) from jsonb_to_recordset($1::jsonb) as stored
         (key text, size integer, "modifiedAt" timestamptz)
       where not exists (select from drawn_images d where d.key = stored.key) order by key
       on conflict (key) do nothing returning key`,
      [JSON.stringify(stored)],
    );
    return added.length;
  }

  /**
   * Returns the bytes of all images and, if they exceed the limit, up to 1,000 of the least
   * recently used images.
   */
  async overLimit(limitBytes: number): Promise<{ bytes: number; images: RenderedImage[] }> {
    // One statement, hence one snapshot, because another replica may delete rows concurrently
    const [found] = await this.database.read<{ bytes: number; images: RenderedImage[] }>(
      `with total as materialized (select coalesce(sum(bytes), 0)::bigint as bytes from drawn_images),
       oldest as (
         select key, bytes, used_at::text as "usedAt" from drawn_images
         where (select bytes > $1 from total) order by used_at, key limit 1000
       )
       select bytes, (select coalesce(json_agg(oldest), '[]') from oldest) as images from total`,
      [limitBytes],
    );
    return found!;
  }

  /**
   * Deletes the rows of deleted images, except rows of images that were stored or used again since
   * `overLimit`, and locked rows.
   */
  async deleteUnchanged(images: readonly RenderedImage[]): Promise<void> {
    await this.database.write(
      `delete from drawn_images where key in
         (select d.key from drawn_images d join jsonb_to_recordset($1::jsonb) as given (key text, "usedAt" timestamptz)
            on d.key = given.key and d.used_at = given."usedAt" order by d.key for update of d skip locked)`,
      [JSON.stringify(images)],
    );
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.database.write(
      'delete from drawn_images where key in (select key from drawn_images where key = any($1) order by key for update)',
      [keys],
    );
  }

  /** @param folder whose rows are all deleted, as a path without a slash at its end */
  async deletePrefix(folder: string): Promise<void> {
    // '0' is the character after the slash, and keys are compared by their bytes
    await this.database.write(
      `delete from drawn_images where key in
         (select key from drawn_images where key > $1 || '/' and key < $1 || '0' order by key for update)`,
      [folder],
    );
  }
}
