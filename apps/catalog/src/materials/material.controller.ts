import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type PayloadOf, type PictureSource, type Services } from '#contracts';
import { handlerFor, RawReply } from '#request-queue';
import { MaterialQueries } from './material.queries.js';
import { MaterialService } from './material.service.js';
import { PictureSourceQueries } from './picture-source.queries.js';

const Handles = handlerFor('catalog');
type Request<Name extends keyof Services['catalog']> = PayloadOf<Services['catalog'], Name>;

@Controller()
export class MaterialController {
  constructor(
    private readonly service: MaterialService,
    private readonly queries: MaterialQueries,
    private readonly pictures: PictureSourceQueries,
  ) {}

  @Handles('materials.list')
  async list(@Payload() request: Request<'materials.list'>): Promise<RawReply> {
    return RawReply.json(await this.queries.list(request));
  }

  @Handles('materials.create')
  async create(@Payload() request: Request<'materials.create'>): Promise<RawReply> {
    return RawReply.json(await this.service.create(request));
  }

  @Handles('materials.delete')
  async delete(@Payload() { viewerId, materialId }: Request<'materials.delete'>): Promise<RawReply> {
    await this.service.delete(viewerId, materialId);
    return RawReply.json('', { status: 204 });
  }

  @Handles('materials.picture-source')
  pictureSource(@Payload() request: Request<'materials.picture-source'>): Promise<PictureSource> {
    return this.pictures.of(request.materialId, request.itemName);
  }
}
