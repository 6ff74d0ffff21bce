import { serviceSettings, settingsClass, wholeNumber } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  EVENT_LOG_DAYS: wholeNumber(30, 30, 36_500).describe('Days until an event of the event log is deleted'),
});

/** Settings of the webhooks service. */
export abstract class WebhooksEnv extends settingsClass<z.output<typeof Env>>() {}
