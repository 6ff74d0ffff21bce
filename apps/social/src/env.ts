import { responseCacheMb, serviceSettings } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  RESPONSE_CACHE_MB: responseCacheMb(16),
});
export type Env = z.output<typeof Env>;
