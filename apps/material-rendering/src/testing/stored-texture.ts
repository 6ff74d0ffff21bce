import type { Texture } from '#contracts';
import type { Database } from '#persistence';
import type { BlobStore } from '#storage';
import type { RenderingEnv } from '../env.js';
import { DiscardedBlobRepository } from '../textures/discarded-blob.repository.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { TextureStore } from '../textures/texture.store.js';

/**
 * Inserts the row of a texture whose blob key is its hash, as in the first version, without any
 * reference. Has no effect if the row exists.
 */
export async function addTexture(database: Database, texture: Texture): Promise<void> {
  await database.source.manager.createQueryBuilder().insert().into(TextureEntity).values(texture).orIgnore().execute();
}

export const textureStore = (database: Database, blobs: BlobStore, quotaBytes = Infinity): TextureStore =>
  new TextureStore(new TextureRepository(database), new DiscardedBlobRepository(database, blobs), {
    TEXTURE_QUOTA_MB: quotaBytes / 1024 ** 2,
  } as RenderingEnv);

/** Returns the blob key of a texture. */
export async function keyOf(database: Database, { hash }: Pick<Texture, 'hash'>): Promise<string> {
  return (await new TextureRepository(database).find(hash))!.key;
}
