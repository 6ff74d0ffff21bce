import type { Texture } from '#contracts';
import type { Database } from '#persistence';
import type { BlobStore } from '#storage';
import type { RenderingEnv } from '../env.js';
import { DiscardedBlobRepository } from '../textures/discarded-blob.repository.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { TextureStore } from '../textures/texture.store.js';

/**
 * Inserts the row of a texture with the blob key `textures/<hash>`, as the previous version does.
 * The trigger `textures_without_user` adds a reference of user 0. An existing row is not changed.
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
