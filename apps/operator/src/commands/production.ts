import { type Production, ProductionStatus, productionStatuses } from '#contracts';
import { z } from 'zod';
import { command, type Commands, Report } from '../command-line/command.js';
import { id, page, pageRequest } from '../command-line/flags.js';
import { minute, pageOf, printable, table } from '../command-line/table.js';

const purchaseId = { ...id, help: 'id of the purchase' } as const;
const status = {
  help: `only these: ${productionStatuses.join(', ')}`,
  value: 'STATUS',
  type: z.string().pipe(ProductionStatus),
} as const;

const rowOf = ({ purchaseId: purchase, externalId, status, productId, variantId, ...production }: Production) => ({
  purchase,
  'external id': externalId,
  status,
  created: minute(production.createdAt),
  product: productId,
  variant: variantId,
  quantity: production.quantity,
  title: production.title,
});

const reportOf = (production: Production): Report => {
  const { folder, reason } = production;
  const lines = [table([rowOf(production)], ''), '', `Folder: ${folder}`];
  return new Report([...lines, ...(reason === null ? [] : [printable(`Reason: ${reason}`)])].join('\n'), production);
};

/** Productions of recorded purchases. */
export const production: Commands = {
  list: command({
    summary: 'Lists the productions of purchases, newest first.',
    flags: { status, ...page },
    run: async (clients, { status, ...flags }) => {
      const request = { status, ...pageRequest(flags) };
      const found = await clients.of('material-rendering').call('productions.list', request);
      return new Report(pageOf(table(found.productions.map(rowOf), 'No productions.'), found.nextOffset), found);
    },
  }),
  show: command({
    summary: 'Shows a production: its folder in the blob store, and why it failed.',
    flags: { id: purchaseId },
    run: async (clients, { id }) =>
      reportOf(await clients.of('material-rendering').call('productions.show', { purchaseId: id })),
  }),
  retry: command({
    summary: 'Starts a production again: makes files that are missing, and publishes all of them.',
    flags: { id: purchaseId },
    run: async (clients, { id }) =>
      reportOf(await clients.of('material-rendering').call('productions.retry', { purchaseId: id })),
  }),
};
