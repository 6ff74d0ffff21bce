import { Inject, Injectable } from '@nestjs/common';
import type { Texture } from '#contracts';
import { Database } from '#persistence';
import { TextureEntity } from './texture.entity.js';

/** Loads and saves what is known of textures. */
@Injectable()
export class TextureRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  async find(hash: string): Promise<Texture | null> {
    const [found] = await this.database.query<Texture>(
      `select hash, format, width, height, bytes, dominant_rgb as "dominantRgb" from textures where hash = $1`,
      [hash],
    );
    return found ?? null;
  }

  /**
   * All or none. Two replicas may take the same picture at once: they measured the same, so the
   * second one changes nothing.
   */
  async add(textures: readonly Texture[]): Promise<void> {
    if (textures.length === 0) return;
    // In one order everywhere: two requests with the same pictures wait for each other's rows, and never crosswise
    const rows = textures.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
    await this.database.transaction(async (tx) => {
      const insert = tx.createQueryBuilder().insert().into(TextureEntity);
      await insert
        .values(rows.map((row) => ({ ...row })))
        .orIgnore()
        .execute();
    });
  }
}
