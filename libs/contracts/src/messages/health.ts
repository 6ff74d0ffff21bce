import { z } from 'zod';
import { question } from '../message.js';

/** Every service answers this from its database. */
export const healthMessages = {
  'health.check': question(z.object({}), z.object({ status: z.literal('ok') }), 1_000),
};
