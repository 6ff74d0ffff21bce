import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type PayloadOf, type ImageSource, type ReplyOf, type Services, type TextureReference } from '#contracts';
import { handlerFor, RawReply } from '#request-queue';
import { ProductQueries } from '../products/product.queries.js';
import { MaterialQueries } from './material.queries.js';
import { MaterialService } from './material.service.js';
import { ImageSourceQueries } from './image-source.queries.js';
import { TextureUseQueries } from './texture-use.queries.js';

const Handles = handlerFor('catalog');
type Request<Name extends keyof Services['catalog']> = PayloadOf<Services['catalog'], Name>;
type ModeratedMaterial = ReplyOf<Services['catalog'], 'materials.show'>;

@Controller()
export class MaterialController {
  constructor(
    private readonly service: MaterialService,
    private readonly queries: MaterialQueries,
    private readonly products: ProductQueries,
    private readonly images: ImageSourceQueries,
    private readonly textureUses: TextureUseQueries,
  ) {}

  @Handles('materials.list')
  list(@Payload() request: Request<'materials.list'>): Promise<RawReply> {
    return this.queries.list(request);
  }

  @Handles('materials.get')
  async get(@Payload() { viewerId, materialId, nameLanguage }: Request<'materials.get'>): Promise<RawReply> {
    return RawReply.json(await this.products.ofMaterial(viewerId, materialId, nameLanguage));
  }

  @Handles('materials.describe')
  async describe(@Payload() request: Request<'materials.describe'>): Promise<RawReply> {
    return RawReply.json(await this.products.withWarnings(request));
  }

  @Handles('materials.create')
  create(@Payload() request: Request<'materials.create'>): Promise<RawReply> {
    return this.service.create(request);
  }

  @Handles('materials.text')
  text(@Payload() request: Request<'materials.text'>): Promise<RawReply> {
    return this.service.createFromText(request);
  }

  @Handles('materials.update')
  async update(@Payload() request: Request<'materials.update'>): Promise<RawReply> {
    return RawReply.json(await this.service.update(request));
  }

  @Handles('materials.delete')
  async delete(@Payload() { viewerId, materialId }: Request<'materials.delete'>): Promise<RawReply> {
    await this.service.delete(viewerId, materialId);
    return RawReply.json('', { status: 204 });
  }

  @Handles('materials.violate')
  async violate(@Payload() { materialId, reason }: Request<'materials.violate'>): Promise<ModeratedMaterial> {
    await this.service.violate(materialId, reason);
    return this.queries.moderated(materialId);
  }

  @Handles('materials.clear')
  async clear(@Payload() { materialId, reason }: Request<'materials.clear'>): Promise<ModeratedMaterial> {
    await this.service.clear(materialId, reason);
    return this.queries.moderated(materialId);
  }

  @Handles('materials.violation-reason')
  async violationReason(
    @Payload() request: Request<'materials.violation-reason'>,
  ): Promise<ReplyOf<Services['catalog'], 'materials.violation-reason'>> {
    return { reason: await this.queries.violationReason(request) };
  }

  @Handles('materials.show')
  show(@Payload() { materialId }: Request<'materials.show'>): Promise<ModeratedMaterial> {
    return this.queries.moderated(materialId);
  }

  @Handles('materials.find')
  find(@Payload() request: Request<'materials.find'>): Promise<ReplyOf<Services['catalog'], 'materials.find'>> {
    return this.queries.find(request);
  }

  @Handles('materials.used-textures')
  usedTextures(@Payload() { references }: Request<'materials.used-textures'>): Promise<TextureReference[]> {
    return this.textureUses.usedOf(references);
  }

  @Handles('materials.image-source')
  imageSource(@Payload() request: Request<'materials.image-source'>): Promise<ImageSource> {
    return this.images.imageSourceOf(request.materialId, request.itemName);
  }
}
