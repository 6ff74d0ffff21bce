import { secret, serviceSettings } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  /** Encrypts the personal API keys, which their owners can look at again. Changing it makes the old ones unreadable. */
  KEY_ENCRYPTION_SECRET: secret,
});
export type Env = z.output<typeof Env>;
