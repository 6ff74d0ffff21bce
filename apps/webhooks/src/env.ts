import { allowedHosts, secret, serviceSettings, settingsClass, wholeNumber } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend({
  EVENT_LOG_DAYS: wholeNumber(30, 30, 36_500).describe('Days until an event of the event log is deleted'),
  WEBHOOK_ENCRYPTION_SECRET: secret.describe(
    'Encrypts the signing secrets of webhook endpoints. After a change the deliveries of an endpoint fail until its owner replaces its secret',
  ),
  WEBHOOK_ALLOWED_HOSTS: allowedHosts.describe(
    'Internal hosts that may receive webhooks, also over http. For development; empty in production',
  ),
});

/** Settings of the webhooks service. */
export abstract class WebhooksEnv extends settingsClass<z.output<typeof Env>>() {}
