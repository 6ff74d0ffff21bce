import { dateTimeSettings, queueBoardPassword, serviceSettings, settingsClass, wholeNumber } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  ...dateTimeSettings,
  ACTIVITY_DAYS: wholeNumber(400, 1, 36_500).describe('Days until an activity is deleted, read or unread'),
  QUEUE_BOARD_PASSWORD: queueBoardPassword,
});

/** Settings of the activity service. */
export abstract class ActivityEnv extends settingsClass<z.output<typeof Env>>() {}
