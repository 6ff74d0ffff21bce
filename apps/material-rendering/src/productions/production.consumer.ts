import { Injectable } from '@nestjs/common';
import { type Delivery } from '#events';
import { productionTicketOf } from './production-ticket.rules.js';
import { ProductionRepository } from './production.repository.js';
import { ProductionStore } from './production.store.js';

/** Starts productions of purchases, and publishes their files for the printer. */
@Injectable()
export class ProductionConsumer {
  constructor(
    private readonly productions: ProductionRepository,
    private readonly store: ProductionStore,
  ) {}

  async productionRequested({ event, once }: Delivery<'production.requested'>): Promise<void> {
    await once((tx) => this.productions.start(tx, event.payload));
  }

  /** Publishes the files. A failure is recorded, and the event is delivered again. */
  async filesMade({ event, signal, once }: Delivery<'production.files-made'>): Promise<void> {
    const { purchaseId } = event.payload;
    const production = await this.productions.unfinished(purchaseId);
    // Published by an earlier delivery, or started again
    if (!production?.files) return;
    const { folder, printFilesId, files } = production;
    try {
      const ticket = productionTicketOf(production, files);
      await this.store.publish(folder, { printFilesId, files, ticket }, signal);
    } catch (error) {
      if (!signal.aborted) await this.productions.fail(purchaseId, error);
      throw error;
    }
    await once((tx) => this.productions.finish(tx, production));
  }
}
