import { z } from 'zod';
import { query } from '../message.js';

/** Messages of every service. `health.check` queries the database of the service. */
export const healthMessages = {
  'health.check': query(z.object({}), z.object({ status: z.literal('ok') }), 1_000),
};
