import { Injectable } from '@nestjs/common';
import { Database } from '#persistence';

/** An image that clients had drawn. Each use changes `usedAt`; microseconds, hence a text. */
export interface DrawnImage {
  readonly key: string;
  readonly bytes: number;
  readonly usedAt: string;
}

/** A use within a minute of the one before is not written: a hot image costs one row version a minute. */
const isUsedBefore = `used_at < now() - interval '1 minute'`;

/**
 * What is stored below `drawn/` and `blanks/`, and when it was used last. Any row can be missing or too many for a while: what
 * the blob store has decides, see `RenderedImageSweeper.count`.
 */
@Injectable()
export class RenderedImageRepository {
  constructor(private readonly database: Database) {}

  /** Counts an image that was stored just now. */
  async add(key: string, bytes: number): Promise<void> {
    await this.database.write(
      `insert into drawn_images (key, bytes, used_at) values ($1, $2, clock_timestamp())
       on conflict (key) do update set bytes = excluded.bytes, used_at = excluded.used_at`,
      [key, bytes],
    );
  }

  /** Notes images as used. Rows that are locked are passed over: two notes at the same time cannot wait for each other. */
  async use(keys: readonly string[]): Promise<void> {
    await this.database.write(
      `update drawn_images set used_at = clock_timestamp() where key in
         (select key from drawn_images where key = any($1) and ${isUsedBefore} order by key for update skip locked)`,
      [keys],
    );
  }

  /** Counts those of the stored images that have no row. Returns how many. */
  async addFound(stored: readonly { key: string; size: number; modifiedAt: Date }[]): Promise<number> {
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

  /** Returns the bytes of all images and, when they are more than the limit, up to 1,000 of those that were not used for longest. */
  async overLimit(limitBytes: number): Promise<{ bytes: number; images: DrawnImage[] }> {
    // One snapshot: another replica may be deleting rows
    const [found] = await this.database.read<{ bytes: number; images: DrawnImage[] }>(
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

  /** Removes the rows of deleted images, but not of those that were stored or used again since they were read. */
  async removeUnchanged(images: readonly DrawnImage[]): Promise<void> {
    await this.database.write(
      `delete from drawn_images where key in
         (select d.key from drawn_images d join jsonb_to_recordset($1::jsonb) as given (key text, "usedAt" timestamptz)
            on d.key = given.key and d.used_at = given."usedAt" order by d.key for update of d skip locked)`,
      [JSON.stringify(images)],
    );
  }

  async remove(keys: readonly string[]): Promise<void> {
    await this.database.write(
      'delete from drawn_images where key in (select key from drawn_images where key = any($1) order by key for update)',
      [keys],
    );
  }

  /** @param folder with everything below it, as a path without a slash at its end */
  async removeBelow(folder: string): Promise<void> {
    // The character after the slash: keys are compared by their bytes
    await this.database.write(
      `delete from drawn_images where key in
         (select key from drawn_images where key > $1 || '/' and key < $1 || '0' order by key for update)`,
      [folder],
    );
  }
}
