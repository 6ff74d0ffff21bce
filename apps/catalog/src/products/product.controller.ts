import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type PayloadOf, type ReplyOf, type Services } from '#contracts';
import { handlerFor, type RawReply } from '#request-queue';
import { ProductFactsQueries } from './product-facts.queries.js';
import { ProductQueries } from './product.queries.js';
import { ReplyValidationService } from './caching/reply-validation.service.js';

const Handles = handlerFor('catalog');
type Request<Name extends keyof Services['catalog']> = PayloadOf<Services['catalog'], Name>;

@Controller()
export class ProductController {
  constructor(
    private readonly queries: ProductQueries,
    private readonly facts: ProductFactsQueries,
    private readonly validation: ReplyValidationService,
  ) {}

  @Handles('replies.validate')
  async validate(@Payload() { replies }: Request<'replies.validate'>): Promise<{ valid: boolean[] }> {
    return { valid: await this.validation.validate(replies) };
  }

  @Handles('products.list')
  list(@Payload() request: Request<'products.list'>): Promise<RawReply> {
    return this.queries.list(request);
  }

  @Handles('products.newest')
  newest(@Payload() request: Request<'products.newest'>): Promise<RawReply> {
    return this.queries.newest(request);
  }

  @Handles('products.search')
  search(@Payload() request: Request<'products.search'>): Promise<RawReply> {
    return this.queries.search(request);
  }

  @Handles('products.on-sale')
  onSale(@Payload() request: Request<'products.on-sale'>): Promise<RawReply> {
    return this.queries.onSale(request);
  }

  @Handles('products.get')
  get(@Payload() { viewerId, productId, nameLanguage }: Request<'products.get'>): Promise<RawReply> {
    return this.queries.get(viewerId, productId, nameLanguage);
  }

  @Handles('products.find')
  find(@Payload() request: Request<'products.find'>): Promise<RawReply> {
    return this.queries.find(request);
  }

  @Handles('products.choose')
  choose(@Payload() request: Request<'products.choose'>): Promise<ReplyOf<Services['catalog'], 'products.choose'>> {
    return this.facts.choose(request);
  }

  @Handles('products.page')
  page(@Payload() request: Request<'products.page'>): Promise<RawReply> {
    return this.queries.chosen(request);
  }
}
