import { dateTimeSettings, serviceSettings, wholeNumber } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  ...dateTimeSettings,
  /** How long activities are kept. */
  ACTIVITY_DAYS: wholeNumber(400, 1, 36_500),
});
export type Env = z.output<typeof Env>;
