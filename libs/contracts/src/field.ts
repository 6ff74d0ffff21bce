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

const idPattern = /^[1-9][0-9]{0,17}$/;

/** An id in a path or a query: digits on the wire, a number inside. */
export const idText = z
  .string({ error: 'must be given once' })
  .regex(idPattern, { error: 'must be a positive integer' })
  // 18 digits are more than a number holds; no row has such an id, and no row has this one
  .transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER));

/** An id in a JSON body. */
export const idNumber = z.int({ error: 'must be an integer' }).min(1, { error: 'must be 1 or more' });

/** The page size of a list, 1 to 50, as a query string. Out of range is an error, never clamped. */
export const limitText = (fallback: number) =>
  z
    .string({ error: 'must be given once' })
    .regex(/^([1-9]|[1-4][0-9]|50)$/, { error: 'must be an integer from 1 to 50' })
    .transform(Number)
    .default(fallback);

/** The page size of the activity list, 1 to 30. */
export const activityLimitText = z
  .string({ error: 'must be given once' })
  .regex(/^([1-9]|[12][0-9]|30)$/, { error: 'must be an integer from 1 to 30' })
  .transform(Number)
  .default(30);

export const offsetText = z
  .string({ error: 'must be given once' })
  .regex(/^(0|[1-9][0-9]{0,8})$/, { error: 'must be a non-negative integer' })
  .transform(Number)
  .default(0);

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

/** Text of a client: a number of code points, no NUL (PostgreSQL cannot hold it), no half of a surrogate pair. */
export const text = (minimum: number, maximum: number) =>
  z.string().superRefine((value, context) => {
    const issue = (message: string) => context.addIssue({ code: 'custom', message });
    const length = codePoints(value);
    if (length < minimum) issue(minimum === 1 ? 'must not be empty' : `must have at least ${minimum} characters`);
    if (length > maximum) issue(`must have at most ${maximum} characters`);
    if (value.includes('\0')) issue('must not contain NUL');
    if (!value.isWellFormed()) issue('must not contain half of a surrogate pair');
  });
