import { serviceSettings, wholeNumber } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  /** Memory for pages of products that the catalog showed before. 0 keeps none. */
  KEPT_ANSWERS_MB: wholeNumber(16, 0, 4_096),
});
export type Env = z.output<typeof Env>;
