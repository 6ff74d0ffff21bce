import { Controller, Header, Headers, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { QueueClients, type QueueReply } from '#request-queue';
import { languageOf } from '../edge/headers/language.js';
import { Call, type CallOf } from '../edge/routing/call.decorator.js';
import { Operation } from '../edge/routing/operation.decorator.js';
import { TextureUploads } from './texture-uploads.js';

@Controller()
export class MaterialController {
  constructor(
    private readonly clients: QueueClients,
    private readonly uploads: TextureUploads,
  ) {}

  @Operation('materials.list')
  list(@Call() { viewerId, query }: CallOf<'materials.list'>): Promise<QueueReply> {
    return this.clients.of('catalog').request('materials.list', { viewerId, ...query });
  }

  @Operation('materials.get')
  get(@Call() { viewerId, params }: CallOf<'materials.get'>): Promise<QueueReply> {
    return this.clients.of('catalog').request('materials.get', { viewerId, ...params });
  }

  @Operation('materials.create')
  @Header('vary', 'accept-language')
  create(
    @Call() { viewerId, body, idempotency }: CallOf<'materials.create'>,
    @Headers('accept-language') wanted: string | undefined,
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
      const language = languageOf(wanted);
      return this.clients
        .of('catalog')
        .request('materials.create', { ...body, viewerId, texture, products, language, idempotency });
    });
  }

  @Operation('materials.text')
  @Header('vary', 'accept-language')
  text(
    @Call() { viewerId, body, idempotency }: CallOf<'materials.text'>,
    @Headers('accept-language') wanted: string | undefined,
  ): Promise<QueueReply> {
    const language = languageOf(wanted);
    return this.clients.of('catalog').request('materials.text', { viewerId, ...body, language, idempotency });
  }

  @Operation('materials.update')
  @Header('vary', 'accept-language')
  update(
    @Call() { viewerId, params, body }: CallOf<'materials.update'>,
    @Headers('accept-language') wanted: string | undefined,
  ): Promise<QueueReply> {
    const language = languageOf(wanted);
    return this.clients.of('catalog').request('materials.update', { viewerId, ...params, ...body, language });
  }

  @Operation('materials.delete')
  delete(@Call() { viewerId, params }: CallOf<'materials.delete'>): Promise<QueueReply> {
    return this.clients.of('catalog').request('materials.delete', { viewerId, ...params });
  }
}
