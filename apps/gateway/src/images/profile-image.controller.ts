import { createHash } from 'node:crypto';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { idText, imagePath, problems, ProfileImage, profileImageKey, profileImagesFolder } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { BlobStore } from '#storage';
import { Public } from '../edge/routing/operation.decorator.js';

const Address = z.object({
  userId: idText,
  kind: ProfileImage.shape.kind,
  name: z.string().regex(/^[0-9a-f]{32}\.webp$/),
});

const notFound = () => new DomainError(problems['picture.not-found'], 'No image exists at this URL.');

/**
 * Serves copies of the images that profiles name by URL, so that no other host learns who visits
 * the shop. A missing copy is stored on its first request, if the profile still has its URL.
 */
@Controller()
export class ProfileImageController {
  constructor(
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
  ) {}

  @Public()
  @Get(`${imagePath}/${profileImagesFolder}/:userId/:kind/:name`)
  async show(@Param() params: unknown, @Res() reply: FastifyReply): Promise<void> {
    const parsed = Address.safeParse(params);
    if (!parsed.success) throw notFound();
    const { userId, kind, name } = parsed.data;
    const key = `${profileImagesFolder}/${userId}/${kind}/${name}`;
    let image = await this.blobs.get(key);
    if (image === null) {
      await this.store(userId, kind, key);
      image = await this.blobs.get(key);
    }
    if (image === null) throw notFound();
    const etag = `"${createHash('sha256').update(image).digest('base64url')}"`;
    await reply.headers({ etag, 'cache-control': 'public, max-age=86400' }).type('image/webp').send(image);
  }

  /** @throws DomainError `picture.not-found` unless the profile has a valid image at this key */
  private async store(userId: number, kind: ProfileImage['kind'], key: string): Promise<void> {
    try {
      const { user } = await this.clients.of('accounts').call('users.get', { viewerId: 0, userId });
      const url = kind === 'avatar' ? user.avatarUrl : user.profile.headerUrl;
      if (url === null || profileImageKey({ userId, kind, url }) !== key) throw notFound();
      await this.clients.of('material-rendering').call('profile-images.store', { userId, kind, url });
    } catch (error) {
      throw error instanceof DomainError && error.status < 500 ? notFound() : error;
    }
  }
}
