import { z } from 'zod';

/** Quantity of a purchase. */
export const maxQuantity = 10_000;

/** Start of the folder names of purchases without an external id. */
const ownPrefix = 'purchase-';

/**
 * Id of a purchase in an order system. It is the name of a folder, also on Windows: it does not end
 * with a dot, and two ids that differ only in case are the same.
 */
export const ExternalId = z
  .string()
  .max(64, { error: 'must have at most 64 characters' })
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/, {
    error: 'must contain only letters, digits, dots, hyphens and underscores, and start and end with a letter or digit',
  })
  .refine((id) => !id.toLowerCase().startsWith(ownPrefix), { error: `must not start with ${ownPrefix}` });

/** Folder of a production in the blob store, from which a printer fetches it. */
export const productionFolder = (purchaseId: number, externalId: string | null): string =>
  `production/${externalId ?? `${ownPrefix}${purchaseId}`}`;

/** Last file of a production. Its existence says that all others are complete. */
export const productionTicketName = 'ticket.json';

export const productionStatuses = ['waiting', 'ready', 'failed'] as const;
export const ProductionStatus = z.enum(productionStatuses, {
  error: `must be one of ${productionStatuses.join(', ')}`,
});
