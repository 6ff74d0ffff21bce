import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { PayloadOf, Production, ReplyOf, Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { ProductionQueries } from './production.queries.js';
import { ProductionRepository } from './production.repository.js';

const Handles = handlerFor('material-rendering');
type Rendering = Services['material-rendering'];

@Controller()
export class ProductionController {
  constructor(
    private readonly productions: ProductionRepository,
    private readonly queries: ProductionQueries,
  ) {}

  @Handles('productions.list')
  list(@Payload() request: PayloadOf<Rendering, 'productions.list'>): Promise<ReplyOf<Rendering, 'productions.list'>> {
    return this.queries.list(request);
  }

  @Handles('productions.show')
  show(@Payload() { purchaseId }: PayloadOf<Rendering, 'productions.show'>): Promise<Production> {
    return this.queries.show(purchaseId);
  }

  @Handles('productions.retry')
  async retry(@Payload() { purchaseId }: PayloadOf<Rendering, 'productions.retry'>): Promise<Production> {
    await this.productions.retry(purchaseId);
    return this.queries.show(purchaseId);
  }
}
