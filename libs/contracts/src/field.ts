import { z } from 'zod';
import './wording.js';

/**
 * Gives a field its meaning and an example: one place for what the schemas, the documentation and the examples say.
 * `field(z.int(), 'unique id', 12)`
 */
export function field<T extends z.ZodType>(type: T, description: string, example: z.input<T>): T {
  return type.meta({ description, examples: [example] });
}

/** `YYYY-MM-DD HH:MM:SS +ZZZZ`, or RFC 3339 when the service is configured so. */
export const dateTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d [+-]\d{4}|T\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d)$/)
  .meta({ format: 'date-time' });

/** What a number in a query string or a path is, for documents that know more than patterns. */
interface WireNumber {
  readonly minimum: number;
  readonly maximum?: number;
}

/** Digits on the wire, a number inside. */
const digits = (pattern: RegExp, error: string, wireNumber: WireNumber) =>
  z
    .string({ error: 'must be given once' })
    .regex(pattern, { error })
    // 18 digits are more than a number holds; no row has such an id, and no row has this one
    .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    .meta({ wireNumber });

/** An id in a path or a query. */
export const idText = digits(/^[1-9][0-9]{0,17}$/, 'must be a positive integer', { minimum: 1 });

/** An id in a JSON body. */
export const idNumber = z.int({ error: 'must be an integer' }).min(1, { error: 'must be 1 or more' });

/** The page size of a list, 1 to 50, as a query string. Out of range is an error, never clamped. */
export const limitText = (fallback: number) =>
  digits(/^([1-9]|[1-4][0-9]|50)$/, 'must be an integer from 1 to 50', { minimum: 1, maximum: 50 }).default(fallback);

/** The page size of the activity list, 1 to 30. */
export const activityLimitText = digits(/^([1-9]|[12][0-9]|30)$/, 'must be an integer from 1 to 30', {
  minimum: 1,
  maximum: 30,
}).default(30);

/** The largest offset that a query may name: nine digits. */
export const offsetMaximum = 999_999_999;

export const offsetText = digits(/^(0|[1-9][0-9]{0,8})$/, 'must be a non-negative integer', {
  minimum: 0,
  maximum: offsetMaximum,
}).default(0);

export const nameText = z
  .string({ error: 'must be given once' })
  .regex(/^[\w-]+$/, { error: 'must consist of word characters and hyphens' })
  .max(255);

const codePoints = (text: string): number => {
  let count = 0;
  // A string iterates by code point; a spread would allocate an array of a client's whole description
  for (const point of text) count += point.length > 0 ? 1 : 0;
  return count;
};

/**
 * Text of a client: a number of code points, which is also what JSON Schema counts; no NUL (PostgreSQL cannot hold it),
 * no half of a surrogate pair.
 */
export const text = (minimum: number, maximum: number) =>
  z
    .string()
    .superRefine((value, context) => {
      const issue = (message: string) => context.addIssue({ code: 'custom', message });
      const length = codePoints(value);
      if (length < minimum) issue(minimum === 1 ? 'must not be empty' : `must have at least ${minimum} characters`);
      if (length > maximum) issue(`must have at most ${maximum} characters`);
      if (value.includes('\0')) issue('must not contain NUL');
      if (!value.isWellFormed()) issue('must not contain half of a surrogate pair');
    })
    .meta({ ...(minimum > 0 && { minLength: minimum }), maxLength: maximum });

/** The address as browsers read it (WHATWG URL); the slash behind a bare host is not added. */
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
 * An address that a page may link to or show: http or https only, so that no script hides in it, in the normal form of
 * WHATWG URL. No user name or password: the part before an `@` looks like the host, `https://shop.example.com@evil.example`.
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
  // The normal form is longer where characters are encoded
  .max(2_048, urlTooLong)
  .meta({ format: 'uri' });
