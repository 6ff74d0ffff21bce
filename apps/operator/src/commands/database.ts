import { z } from 'zod';
import { serviceNames, type ServiceName } from '#contracts';
import { commandAside, type Commands } from '../command-line/command.js';
import { withEnds } from '../split/ends.js';
import { move } from '../split/move.js';
import { receive } from '../split/receive.js';

const service = z.enum(serviceNames, { error: `must be one of ${serviceNames.join(', ')}` });

/** Without a choice, so that a list of services has one name wherever it is made. */
const inOrder = (chosen: readonly ServiceName[]): ServiceName[] => serviceNames.filter((it) => chosen.includes(it));

const services = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(service))
  .transform(inOrder);

/** Beside the result, which is for programs. */
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

export const database: Commands = {
  move: commandAside({
    summary: 'Moves the rows of a stopped service from DATABASE_URL to RECEIVING_DATABASE_URL: docs/operations.md.',
    flags: { service: { help: 'which one', value: 'SERVICE', type: service, required: true, positional: true } },
    run: (flags) => withEnds(async (ends) => ({ rows: await move(ends, flags.service, say) })),
  }),
  receive: commandAside({
    summary: 'Replicates what services read of others from DATABASE_URL to RECEIVING_DATABASE_URL: docs/operations.md.',
    flags: {
      services: {
        help: 'those that run there, with commas',
        value: 'SERVICES',
        type: services,
        required: true,
        positional: true,
      },
      connection: {
        help: "how that server reaches DATABASE_URL's: host=... port=... dbname=... sslmode=...",
        value: 'WORDS',
      },
    },
    run: (flags) => withEnds((ends) => receive(ends, flags.services, { connection: flags.connection }, say)),
  }),
};
