import { z } from 'zod';
import './wording.js';

/**
 * Adds a description and an example to a field, which both API documents contain:
 * `field(z.int(), 'Unique identifier.', 12)`
 */
export function field<T extends z.ZodType>(type: T, description: string, example: z.input<T>): T {
  return type.meta({ description, examples: [example] });
}

/** `YYYY-MM-DD HH:MM:SS +ZZZZ`, or RFC 3339 with the setting `DATE_TIME_FORMAT=rfc3339`. */
export const dateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d [+-]\d{4}|T\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d)$/)
  .meta({ format: 'date-time', isFormattedTime: true });

/** RFC 3339 in UTC, whatever the setting. */
export const rfc3339 = z.iso.datetime({ precision: 3 });

/**
 * Bounds of a number in a query string or a path. The OpenAPI document describes such a parameter
 * as an integer, the hyper-schema as a string.
 */
interface WireNumber {
  readonly minimum: number;
  readonly maximum?: number;
}

/** String of digits, parsed into a number. */
const digits = (pattern: RegExp, error: string, wireNumber: WireNumber) =>
  z
    .string({ error: 'must be given only once' })
    .regex(pattern, { error })
    // A number above `Number.MAX_SAFE_INTEGER` becomes that number, which no row has as its id
    .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    .meta({ wireNumber });

/** Id in a path or a query. */
export const idText = digits(/^[1-9][0-9]{0,17}$/, 'must be a positive integer', { minimum: 1 });

/** Id in a JSON body. */
export const idNumber = z.int({ error: 'must be an integer' }).min(1, { error: 'must be 1 or more' });

/** Page size of a list, 1 to 50, in a query. Values out of range are rejected, never clamped. */
export const limitText = (fallback: number) =>
  digits(/^([1-9]|[1-4][0-9]|50)$/, 'must be an integer from 1 to 50', { minimum: 1, maximum: 50 }).default(fallback);

/** Page size of the activity list, 1 to 30. */
export const activityLimitText = digits(/^([1-9]|[12][0-9]|30)$/, 'must be an integer from 1 to 30', {
  minimum: 1,
  maximum: 30,
}).default(30);

/** Page size of the event log, 1 to 200. */
export const eventLimitText = digits(/^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$/, 'must be an integer from 1 to 200', {
  minimum: 1,
  maximum: 200,
}).default(50);

/** Maximum offset of a query: nine digits. */
export const offsetMaximum = 999_999_999;

export const offsetText = digits(/^(0|[1-9][0-9]{0,8})$/, 'must be a non-negative integer', {
  minimum: 0,
  maximum: offsetMaximum,
}).default(0);

export const nameText = z
  .string({ error: 'must be given only once' })
  .regex(/^[\w-]+$/, { error: 'must contain only letters, digits, underscores and hyphens' })
  .max(255);

const codePoints = (text: string): number => {
  let count = 0;
  // Strings iterate by code point. A spread would allocate an array as long as the text
  for (const point of text) count += point.length > 0 ? 1 : 0;
  return count;
};

/**
 * Text of a client. Its length is counted in code points, as in JSON Schema. NUL is rejected
 * because PostgreSQL cannot store it, an unpaired surrogate because UTF-8 cannot encode it.
 */
export const text = (minimum: number, maximum: number) =>
  z
    .string()
    .superRefine((value, context) => {
      const issue = (message: string) => context.addIssue({ code: 'custom', message });
      const length = codePoints(value);
      if (length < minimum) issue(minimum === 1 ? 'must not be empty' : `must have at least ${minimum} characters`);
      if (length > maximum) issue(`must have at most ${maximum} characters`);
      if (value.includes('\0')) issue('must not contain NUL characters');
      if (!value.isWellFormed()) issue('must not contain unpaired surrogates');
    })
    .meta({ ...(minimum > 0 && { minLength: minimum }), maxLength: maximum });

/**
 * Returns the normal form of a URL (WHATWG). A URL that lacks only the slash after its host stays
 * unchanged, and so does text that is not a URL.
 */
function normalized(value: string): string {
  if (!URL.canParse(value)) return value;
  const { href } = new URL(value);
  return href === `${value}/` ? value : href;
}

const hasCredentials = (value: string): boolean => {
  if (!URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username !== '' || password !== '';
};

const urlTooLong = { error: 'must have at most 2048 characters' };

/**
 * URL that a page may link to or show, in the normal form of WHATWG URL. Only http and https, which
 * excludes `javascript:`. A user name or password is rejected, because the part before an `@` looks
 * like the host: `https://shop.example.com@evil.example`.
 */
export const webUrl = z
  .string()
  .max(2_048, urlTooLong)
  .regex(/^https?:\/\/[^\s/?#]/i, { error: 'must be an http or https URL', abort: true })
  .refine((value) => URL.canParse(value) && !value.includes('\0') && value.isWellFormed(), {
    error: 'must be an http or https URL',
    abort: true,
  })
  .refine((value) => !hasCredentials(value), { error: 'must not contain a user name or a password' })
  .overwrite(normalized)
  // Percent-encoding makes the normal form longer
  .max(2_048, urlTooLong)
  .meta({ format: 'uri' });
