import { dateTimeSettings, queueBoardPassword, serviceSettings, wholeNumber } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  ...dateTimeSettings,
  ACTIVITY_DAYS: wholeNumber(400, 1, 36_500).describe('How long activities are kept, read or not'),
  QUEUE_BOARD_PASSWORD: queueBoardPassword,
});
export type Env = z.output<typeof Env>;
