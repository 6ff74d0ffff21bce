import { createHash } from 'node:crypto';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  ExternalImage,
  externalImageFolder,
  externalImageKey,
  externalImagesFolder,
  idText,
  imagePath,
} from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { BlobStore } from '#storage';
import { Public } from '../edge/routing/operation.decorator.js';
import { imageNotFound } from './image.errors.js';

const Address = z.object({
  userId: z.literal('0').transform(Number).or(idText),
  kind: ExternalImage.shape.kind,
  id: idText,
  name: z.string().regex(/^[0-9a-f]{32}\.webp$/),
});

type Owner = Omit<ExternalImage, 'url'>;

/**
 * Serves copies of the images that users, choices and banners name by URL, so that no other host
 * learns who visits the shop. A missing copy is stored on its first request, if its owner still has
 * the URL.
 */
@Controller()
export class ExternalImageController {
  constructor(
    private readonly blobs: BlobStore,
    private readonly clients: QueueClients,
  ) {}

  @Public()
  @Get(`${imagePath}/${externalImagesFolder}/:userId/:kind/:id/:name`)
  async show(@Param() params: unknown, @Res() reply: FastifyReply): Promise<void> {
    const parsed = Address.safeParse(params);
    if (!parsed.success) throw imageNotFound();
    const { name, ...owner } = parsed.data;
    const key = `${externalImageFolder(owner)}/${name}`;
    let image = await this.blobs.get(key);
    if (image === null) {
      await this.store(owner, key);
      image = await this.blobs.get(key);
    }
    if (image === null) throw imageNotFound();
    const etag = `"${createHash('sha256').update(image).digest('base64url')}"`;
    await reply.headers({ etag, 'cache-control': 'public, max-age=86400' }).type('image/webp').send(image);
  }

  /**
   * @throws DomainError `picture.not-found` unless the owner has a valid image at this key, 5xx if
   *   a service is unavailable
   */
  private async store(owner: Owner, key: string): Promise<void> {
    try {
      const url = await this.urlOf(owner);
      if (url === null || externalImageKey({ ...owner, url }) !== key) throw imageNotFound();
      await this.clients.of('material-rendering').call('external-images.store', { ...owner, url });
    } catch (error) {
      throw error instanceof DomainError && error.status < 500 ? imageNotFound() : error;
    }
  }

  /** @throws DomainError `user.not-found`, `choice.not-found` */
  private async urlOf({ userId, kind, id }: Owner): Promise<string | null> {
    if (kind === 'banner') {
      const { banners } = await this.clients.of('catalog').call('banners.list', {});
      return (userId === 0 && banners.find((banner) => banner.id === id)?.imageUrl) || null;
    }
    if (kind === 'choice') {
      // As the owner, because the choice may be secret
      const { choice } = await this.clients.of('social').call('choices.get', { viewerId: userId, choiceId: id });
      return choice.user.id === userId ? choice.bannerUrl : null;
    }
    if (id !== userId) return null;
    const { user } = await this.clients.of('accounts').call('users.get', { viewerId: 0, userId });
    return kind === 'avatar' ? user.avatarUrl : user.profile.headerUrl;
  }
}
