import { keptAnswersMb, serviceSettings } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  KEPT_ANSWERS_MB: keptAnswersMb(16),
});
export type Env = z.output<typeof Env>;
