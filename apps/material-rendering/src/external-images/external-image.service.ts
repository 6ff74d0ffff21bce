import { Injectable } from '@nestjs/common';
import { Cache } from '#cache';
import { type ExternalImage, externalImageFolder, externalImageKey, externalImagesFolderOf } from '#contracts';
import { DomainError } from '#kernel';
import { runShared } from '#request-queue';
import { BlobStore } from '#storage';
import { imageNotFound } from '../images/image.errors.js';
import { encodeOnWhite } from '#rendering/on-white.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureReferenceRepository } from '../textures/texture-reference.repository.js';
import { TextureService } from '../textures/texture.service.js';

/** Long edge of the copies in pixels. Smaller originals are not enlarged. */
const edges = { avatar: 256, header: 1_200, choice: 1_200, banner: 1_200 } as const satisfies Record<
  ExternalImage['kind'],
  number
>;
const failureTtlMs = 3_600_000;

/** Copies of external images, in WebP and of a bounded size. */
@Injectable()
export class ExternalImageService {
  /** Results of fetches: undefined for a copy, which is in the blob store, or the rejection. */
  private readonly failures = new Cache<{ readonly error: DomainError | undefined }>({
    name: 'external-image-failures',
    maxBytes: 4 * 1024 ** 2,
    bytesOf: () => 1_000,
    ttlMs: ({ error }) => (error ? failureTtlMs : 0),
  });

  constructor(
    private readonly textures: TextureService,
    private readonly decoder: TextureDecoder,
    private readonly blobs: BlobStore,
    private readonly users: TextureReferenceRepository,
  ) {}

  /**
   * Ensures that the copy of an image is stored. Concurrent requests to this process share one
   * fetch; it does not fetch a rejected image again within an hour.
   *
   * @throws DomainError `texture.*`; `picture.not-found` for a deleted user; `service.overloaded`,
   *   `service.unavailable`
   */
  async store(image: ExternalImage): Promise<{ key: string }> {
    const key = externalImageKey(image);
    if (await this.blobs.has(key)) return { key };
    const { error } = await this.failures.load(key, () => runShared(() => this.fetch(image, key)));
    if (error) throw error;
    return { key };
  }

  /** Deletes all copies of a user who is marked as deleted. */
  async deleteAllOf(userId: number): Promise<void> {
    await this.blobs.deletePrefix(externalImagesFolderOf(userId));
  }

  private async fetch(image: ExternalImage, key: string): Promise<{ error: DomainError | undefined }> {
    try {
      const startedAt = new Date();
      const copy = await this.textures.withImage(image.userId, image.url, async (path) =>
        encodeOnWhite(await this.decoder.level(path, edges[image.kind])),
      );
      await this.replace(image, key, copy, startedAt);
      return { error: undefined };
    } catch (error) {
      if (error instanceof DomainError && error.status < 500) return { error };
      throw error;
    }
  }

  /**
   * Stores a copy, and deletes those of earlier URLs. Copies stored since `startedAt` are not
   * deleted, because they may be of a later URL whose fetch was faster.
   */
  private async replace(image: ExternalImage, key: string, copy: Buffer, startedAt: Date): Promise<void> {
    const { userId } = image;
    await this.blobs.put(key, copy);
    // Checked after the copy was written: a user whose deletion has not seen the copy is marked by
    // now
    if (await this.users.isUserDeleted(userId)) {
      await this.deleteAllOf(userId);
      throw imageNotFound();
    }
    for await (const other of this.blobs.listStats(externalImageFolder(image)))
      if (other.key !== key && other.modifiedAt < startedAt) await this.blobs.delete(other.key);
  }
}
