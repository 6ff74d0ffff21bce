import { bytesOf, printOf } from '../print-files/ticket.rules.js';
import type { StoredPrintFiles } from '#contracts';
import type { UnfinishedProduction } from './production.repository.js';
import { productionFileName } from './production.store.js';

/** Returns the ticket of a production: the purchase, and what to print where from which file. */
export function productionTicketOf(
  { purchaseId, externalId, quantity, recordedAt, order }: UnfinishedProduction,
  made: StoredPrintFiles['files'],
): Buffer {
  const { files, ...print } = printOf(order, made);
  return bytesOf({
    version: 1,
    purchase: { id: purchaseId, externalId, quantity, recordedAt: recordedAt.toISOString() },
    ...print,
    files: files.map((file) => ({ name: productionFileName(file), ...file })),
  });
}
