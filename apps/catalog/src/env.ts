import type { z } from 'zod';
import { baseUrl, dateTimeSettings, imageSigningSecret, responseCacheMb, serviceSettings, wholeNumber } from '#config';
import { type CatalogSettings } from './catalog.settings.js';

export const Env = serviceSettings.extend({
  BASE_URL: baseUrl,
  IMAGE_SIGNING_SECRET: imageSigningSecret,
  TAX_PERCENT: wholeNumber(10, 0, 100).describe('Tax rate in prices with tax'),
  RESPONSE_CACHE_MB: responseCacheMb(64),
  ...dateTimeSettings,
});
export type Env = z.output<typeof Env>;

export const settingsOf = (env: Env): CatalogSettings => ({
  baseUrl: env.BASE_URL,
  taxPercent: env.TAX_PERCENT,
  imageSigningSecret: env.IMAGE_SIGNING_SECRET,
  cacheBytes: env.RESPONSE_CACHE_MB * 1024 ** 2,
  timeZone: env.TIME_ZONE,
  dateTimeFormat: env.DATE_TIME_FORMAT,
});
