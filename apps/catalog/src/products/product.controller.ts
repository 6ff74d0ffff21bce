import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { handlerFor, RawReply } from '#request-queue';
import { ProductQueries } from './product.queries.js';

const Handles = handlerFor('catalog');
type Request<Name extends keyof Services['catalog']> = PayloadOf<Services['catalog'], Name>;

@Controller()
export class ProductController {
  constructor(private readonly queries: ProductQueries) {}

  @Handles('products.list')
  async list(@Payload() request: Request<'products.list'>): Promise<RawReply> {
    return RawReply.json(await this.queries.list(request));
  }

  @Handles('products.get')
  async get(@Payload() { viewerId, productId }: Request<'products.get'>): Promise<RawReply> {
    const { json, etag } = await this.queries.get(viewerId, productId);
    return RawReply.json(json, { headers: { etag } });
  }

  @Handles('products.owner')
  owner(
    @Payload() { viewerId, productId }: Request<'products.owner'>,
  ): Promise<ReplyOf<Services['catalog'], 'products.owner'>> {
    return this.queries.owner(viewerId, productId);
  }
}
