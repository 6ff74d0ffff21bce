import { z } from 'zod';
import { serviceNames, type ServiceName } from '#contracts';
import { directCommand, type Commands, Report } from '../command-line/command.js';
import { printProgress } from '../command-line/progress.js';
import { withEnds } from '../split/ends.js';
import { move } from '../split/move.js';
import { receive } from '../split/receive.js';

const serviceSchema = z.enum(serviceNames, { error: `must be one of ${serviceNames.join(', ')}` });

/** Sorts services and removes duplicates, because the subscription is named after the list. */
const inOrder = (chosen: readonly ServiceName[]): ServiceName[] => serviceNames.filter((it) => chosen.includes(it));

const serviceListSchema = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(serviceSchema))
  .transform(inOrder);

export const database: Commands = {
  move: directCommand({
    summary: 'Moves the rows of a stopped service from DATABASE_URL to RECEIVING_DATABASE_URL: docs/operations.md.',
    flags: {
      service: { help: 'name of the service', value: 'SERVICE', type: serviceSchema, required: true, positional: true },
    },
    run: (flags) =>
      withEnds(async (ends) => {
        const rows = await move(ends, flags.service, printProgress);
        return new Report(`Moved rows: ${rows}`, { rows });
      }),
  }),
  receive: directCommand({
    summary:
      'Replicates the tables that services read of others from DATABASE_URL to RECEIVING_DATABASE_URL: docs/operations.md.',
    flags: {
      services: {
        help: 'services of the receiving database, separated by commas',
        value: 'SERVICES',
        type: serviceListSchema,
        required: true,
        positional: true,
      },
      connection: {
        help: 'address of DATABASE_URL as seen from the receiving server: host=... port=... dbname=... sslmode=...',
        value: 'WORDS',
      },
    },
    run: (flags) =>
      withEnds(async (ends) => {
        const received = await receive(ends, flags.services, { connection: flags.connection }, printProgress);
        return new Report(`${received.name} replicates ${received.tables.length} tables.`, received);
      }),
  }),
};
