import { Injectable } from '@nestjs/common';
import { type Delivery } from '#events';
import { ItemImportRepository } from './item-import.repository.js';

@Injectable()
export class ItemConsumer {
  constructor(private readonly imports: ItemImportRepository) {}

  /** Has the images of products rendered again, a part in each transaction. */
  async renderProducts({ event, once }: Delivery<'item.updated'>): Promise<void> {
    await once((tx) => this.imports.appendOutdated(tx, event.payload));
  }
}
