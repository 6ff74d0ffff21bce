import { Injectable } from '@nestjs/common';
import type { PrintOrder } from '#contracts';
import { type Delivery, isOutage, PermanentFailure } from '#events';
import { type MadeFile, PrintFileRenderer } from './print-file.renderer.js';
import { PrintFileRepository } from './print-file.repository.js';
import { PrintFileStore } from './print-file.store.js';
import { ProductionRepository } from '../productions/production.repository.js';
import { ticketOf } from './ticket.rules.js';

type Requested = Delivery<'print-files.requested'>;

/** With the pauses between them, the last attempt begins 75 s after the first. */
const maxAttempts = 5;

/** Makes requested print files. An interrupted attempt is repeated from its first file. */
@Injectable()
export class PrintFileConsumer {
  constructor(
    private readonly rows: PrintFileRepository,
    private readonly renderer: PrintFileRenderer,
    private readonly store: PrintFileStore,
    private readonly productions: ProductionRepository,
  ) {}

  async printFilesRequested(delivery: Requested): Promise<void> {
    const { printFilesId } = delivery.event.payload;
    const order = await this.rows.start(printFilesId);
    // Made by an earlier delivery, or deleted
    if (order === null) return this.deleteUnlessReady(printFilesId);
    await this.make(printFilesId, order, delivery).catch((error: unknown) => this.handleFailure(error, delivery));
    await this.deleteUnlessReady(printFilesId);
  }

  private async make(printFilesId: number, order: PrintOrder, delivery: Requested): Promise<void> {
    const made = await this.renderAll(printFilesId, order, delivery);
    const files = made.map(({ file }) => file);
    const bytes = made.reduce((sum, it) => sum + it.bytes, 0);
    const ticket = await this.store.put(printFilesId, 'json', ticketOf(order, files));
    await delivery.once(async (tx) => {
      if (await this.rows.finish(tx, printFilesId, { files, ticket, bytes }))
        await this.productions.filesMade(tx, printFilesId);
    });
  }

  private async renderAll(
    printFilesId: number,
    order: PrintOrder,
    { signal, progress }: Requested,
  ): Promise<MadeFile[]> {
    const made: MadeFile[] = [];
    for (const place of order.places) {
      made.push(await this.renderer.render(printFilesId, order, place, signal));
      await progress({ done: made.length, of: order.places.length });
      await this.rows.reportProgress(printFilesId, Math.floor((99 * made.length) / order.places.length));
    }
    return made;
  }

  /** Records a failure that no attempt follows. An outage uses up no attempt. */
  private async handleFailure(error: unknown, { event, attempt, signal }: Requested): Promise<never> {
    const { printFilesId } = event.payload;
    if (signal.aborted) throw error;
    const isFinal = (error instanceof PermanentFailure || attempt >= maxAttempts) && !isOutage(error);
    if (isFinal) await this.store.deleteAll(printFilesId);
    await this.productions.filesFailed(printFilesId, error, isFinal);
    if (!isFinal) throw error;
    throw new PermanentFailure('the print files cannot be made', { cause: error });
  }

  /** Deletes the files of a set that was deleted while they were made. */
  private async deleteUnlessReady(printFilesId: number): Promise<void> {
    if (!(await this.rows.isReady(printFilesId))) await this.store.deleteAll(printFilesId);
  }
}
