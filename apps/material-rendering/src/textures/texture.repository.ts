import { Inject, Injectable } from '@nestjs/common';
import type { Texture } from '#contracts';
import { Database } from '#persistence';
import { TextureEntity } from './texture.entity.js';

/** Loads and saves what is known of textures. */
@Injectable()
export class TextureRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  async find(hash: string): Promise<Texture | null> {
    const found = await this.database.source.manager.findOneBy(TextureEntity, { hash });
    if (found === null) return null;
    const { format, width, height, bytes, dominantRgb } = found;
    return { hash, format, width, height, bytes, dominantRgb };
  }

  /** Two replicas may take the same picture at once: they measured the same, so the second one changes nothing. */
  async add(texture: Texture): Promise<void> {
    const insert = this.database.source.createQueryBuilder().insert().into(TextureEntity);
    await insert
      .values({ ...texture })
      .orIgnore()
      .execute();
  }
}
