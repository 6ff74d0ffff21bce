import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { OperationRequest } from '#contracts';
import { QueueClients, type QueueReply } from '#request-queue';
import { Parsed } from '../edge/routing/parsed.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';
import { TextureUploadStore } from './texture-upload.store.js';

@Controller()
export class MaterialController {
  constructor(
    private readonly clients: QueueClients,
    private readonly uploads: TextureUploadStore,
  ) {}

  /**
   * Creates a material. Data URIs are stored in the blob store; the message contains their keys.
   */
  @Operation('materials.create')
  create(
    @Parsed() { viewerId, body, idempotency, language, nameLanguage }: OperationRequest<'materials.create'>,
    @Req() request: FastifyRequest,
  ): Promise<QueueReply> {
    return this.uploads.during(request, async (store) => {
      const texture = await store({ text: body.texture, path: 'body.texture' });
      const products = [];
      for (const [index, product] of body.products.entries()) {
        const sides = [];
        for (const [side, it] of product.sub_materials.entries()) {
          const path = `body.products.${index}.sub_materials.${side}.texture`;
          sides.push({ ...it, texture: await store({ text: it.texture, path }) });
        }
        products.push({ ...product, sub_materials: sides });
      }
      return this.clients
        .of('catalog')
        .request('materials.create', { ...body, viewerId, texture, products, language, nameLanguage, idempotency });
    });
  }
}
