import { serviceSettings } from '#config';
import { dateTimeFormats } from '#kernel';
import { z } from 'zod';

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

export const Env = serviceSettings.extend({
  /** IANA name of the zone in which points in time are written. */
  TIME_ZONE: z.string().refine(isTimeZone, { error: 'must be an IANA time zone' }).default('UTC'),
  DATE_TIME_FORMAT: z.enum(dateTimeFormats).default('spec'),
});
export type Env = z.output<typeof Env>;
