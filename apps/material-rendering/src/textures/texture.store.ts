import { Injectable } from '@nestjs/common';
import type { Texture } from '#contracts';
import { DomainError } from '#kernel';
import { RenderingEnv } from '../env.js';
import type { TextTask } from '../texts/text.renderer.js';
import { DiscardedBlobRepository } from './discarded-blob.repository.js';
import { createTextureKey } from './texture.rules.js';
import { TextureRepository, type WantedTexture } from './texture.repository.js';

/** Texture to store. */
export interface Storable {
  readonly texture: Texture;
  /** True if the blob store had its bytes at the last check. */
  readonly isStored: boolean;
  /** Key of the bytes that the blob store has lost; null if it has lost none. */
  readonly lost: string | null;
  /** Text that was rendered; none for an image of a client. */
  readonly text?: TextTask;
  /** Writes the bytes of the texture under a key of the blob store. */
  readonly put: (key: string) => Promise<void>;
}

/** Stores textures for users: the bytes first, so that each row has its blob. */
@Injectable()
export class TextureStore {
  constructor(
    private readonly repository: TextureRepository,
    private readonly discarded: DiscardedBlobRepository,
    private readonly env: RenderingEnv,
  ) {}

  /**
   * Stores all textures and the user's references to them, or none. Textures exist for the grace
   * period, and then while the catalog uses them.
   *
   * @param wanted one entry for each hash
   * @throws DomainError `user.not-found` for a deleted user
   * @throws TextureQuotaExceeded
   * @throws Error when the sweep deleted the blobs before they were used
   */
  async add(userId: number, wanted: readonly Storable[]): Promise<void> {
    const keys = new Map<string, string>();
    await this.put(
      wanted.filter(({ isStored }) => !isStored),
      keys,
    );
    let used = await this.addReferences(userId, wanted, keys);
    if (used === null) {
      // A concurrent sweep has deleted a texture that was stored before
      await this.put(
        wanted.filter(({ isStored }) => isStored),
        keys,
      );
      used = await this.addReferences(userId, wanted, keys);
    }
    // The request took an hour, so that its blobs are being deleted
    if (used === null) throw new Error('Blobs of textures were swept before they were used');
    const inUse = used;
    await this.discarded.drop([...keys.values()].filter((key) => !inUse.has(key)));
  }

  private async put(wanted: readonly Storable[], keys: Map<string, string>): Promise<void> {
    if (wanted.length === 0) return;
    const newKeys = new Map(wanted.map((it) => [it, createTextureKey(it.texture.hash)]));
    await this.repository.announce([...newKeys.values()]);
    for (const [it, key] of newKeys) {
      await it.put(key);
      keys.set(it.texture.hash, key);
    }
  }

  private async addReferences(
    userId: number,
    wanted: readonly Storable[],
    keys: ReadonlyMap<string, string>,
  ): Promise<ReadonlySet<string> | null> {
    const rows = wanted.map(({ texture, lost, text }): WantedTexture => ({
      texture,
      key: keys.get(texture.hash) ?? null,
      lost,
      text: text ?? null,
    }));
    try {
      return await this.repository.addReferences(userId, rows, this.env.TEXTURE_QUOTA_MB * 1024 ** 2);
    } catch (error) {
      // A rejection has stored no rows, so the blobs are deleted now. After any other error the
      // transaction may be committed: the sweep deletes the keys that are still announced after an
      // hour
      if (error instanceof DomainError && error.status < 500) await this.discarded.drop([...keys.values()]);
      throw error;
    }
  }
}
