import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type PayloadOf, type ReplyOf, type Sale, type Services } from '#contracts';
import { handlerFor } from '#request-queue';
import { SaleQueries } from './sale.queries.js';
import { SaleService } from './sale.service.js';

const Handles = handlerFor('catalog');
type Request<Name extends keyof Services['catalog']> = PayloadOf<Services['catalog'], Name>;

@Controller()
export class SaleController {
  constructor(
    private readonly service: SaleService,
    private readonly queries: SaleQueries,
  ) {}

  @Handles('sales.create')
  create(@Payload() request: Request<'sales.create'>): Promise<Sale> {
    return this.service.create(request);
  }

  @Handles('sales.list')
  async list(): Promise<ReplyOf<Services['catalog'], 'sales.list'>> {
    return { sales: await this.queries.list() };
  }

  @Handles('sales.end')
  end(@Payload() { saleId }: Request<'sales.end'>): Promise<Sale> {
    return this.service.end(saleId);
  }
}
