import type { z } from 'zod';
import { dateTimeSettings, secret, serviceSettings, webUrl, wholeNumber } from '#config';
import { type CatalogSettings } from './settings.js';

export const Env = serviceSettings.extend({
  /** Public address of the gateway: image and page URLs begin with it. */
  BASE_URL: webUrl.transform((url) => url.replace(/(?<!\/)\/+$/, '')),
  /** Keys the signatures of image URLs; the gateway checks them with the same one. */
  IMAGE_SIGNING_SECRET: secret,
  TAX_PERCENT: wholeNumber(10, 0, 100),
  /** Memory for answers that were given before. 0 keeps none. */
  KEPT_ANSWERS_MB: wholeNumber(64, 0, 4_096),
  ...dateTimeSettings,
});
export type Env = z.output<typeof Env>;

export const settingsOf = (env: Env): CatalogSettings => ({
  baseUrl: env.BASE_URL,
  taxPercent: env.TAX_PERCENT,
  imageSigningSecret: env.IMAGE_SIGNING_SECRET,
  keptBytes: env.KEPT_ANSWERS_MB * 1024 ** 2,
  timeZone: env.TIME_ZONE,
  dateTimeFormat: env.DATE_TIME_FORMAT,
});
