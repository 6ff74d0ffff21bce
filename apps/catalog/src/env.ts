import { z } from 'zod';
import { secret, serviceSettings, webUrl, wholeNumber } from '#config';
import { dateTimeFormats } from '#kernel';
import { type CatalogSettings } from './settings.js';

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

export const Env = serviceSettings.extend({
  /** Public address of the gateway: image and page URLs begin with it. */
  BASE_URL: webUrl.transform((url) => url.replace(/\/+$/, '')),
  /** Keys the signatures of image URLs; the gateway checks them with the same one. */
  IMAGE_SIGNING_SECRET: secret,
  TAX_PERCENT: wholeNumber(10, 0, 100),
  /** IANA name of the zone in which points in time are written. */
  TIME_ZONE: z.string().refine(isTimeZone, { error: 'must be an IANA time zone' }).default('UTC'),
  DATE_TIME_FORMAT: z.enum(dateTimeFormats).default('spec'),
});
export type Env = z.output<typeof Env>;

export const settingsOf = (env: Env): CatalogSettings => ({
  baseUrl: env.BASE_URL,
  taxPercent: env.TAX_PERCENT,
  imageSigningSecret: env.IMAGE_SIGNING_SECRET,
  timeZone: env.TIME_ZONE,
  dateTimeFormat: env.DATE_TIME_FORMAT,
});
