import { z } from 'zod';
import { dateTimeFormats } from '#kernel';

const url = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

/** A whole number with a default, for THING_UNIT variables. */
export const wholeNumber = (fallback: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(minimum).max(maximum).default(fallback);

export const databaseUrl = url('postgres:', 'postgresql:');
export const redisUrl = url('redis:', 'rediss:');
export const webUrl = url('http:', 'https:');
export const blobStoreUrl = url('file:');

/** A secret that keys an HMAC or a cipher. */
export const secret = z.string().min(32, { error: 'must have at least 32 characters' });

/** Seconds that a token of an application lives, which then gets refresh tokens too. 0: until it is revoked. */
export const accessTokenTtl = wholeNumber(0, 0, 31_536_000);

/** What every process needs to say what happens inside. */
export const logSettings = z.object({
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['json', 'pretty']).default('json'),
});

/** What every app needs. */
export const appSettings = logSettings.extend({
  /** Where probes and Prometheus ask, on all addresses; 0: nowhere. Never to be published. */
  INTERNAL_PORT: wholeNumber(0, 0, 65_535),
});

/** What every service needs: its database, the two Redis roles and how its requests are taken. */
export const serviceSettings = appSettings.extend({
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: wholeNumber(10, 1, 500),
  REDIS_REQUESTS_URL: redisUrl,
  REDIS_JOBS_URL: redisUrl,
  REQUEST_SLOTS: wholeNumber(64, 1, 10_000),
  // Requests and consumers drain at the same time. What follows may take 9 s more while Redis and PostgreSQL are silent,
  // and all of it must fit into the 24 s after which a process is ended
  DRAIN_MS: wholeNumber(14_000, 0, 14_000),
});

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** How points in time are written in answers. */
export const dateTimeSettings = {
  /** IANA name of the zone. */
  TIME_ZONE: z.string().refine(isTimeZone, { error: 'must be an IANA time zone' }).default('UTC'),
  DATE_TIME_FORMAT: z.enum(dateTimeFormats).default('spec'),
};
