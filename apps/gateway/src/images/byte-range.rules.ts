import type { IncomingMessage } from 'node:http';
import parseRanges, { type Range } from 'range-parser';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { matches } from '../edge/headers/entity-tag.js';

/** Representation of an image: strong entity tag and size in bytes. */
interface Representation {
  readonly etag: string;
  readonly size: number;
}

const isOfBytes = /^bytes=/i;

/**
 * Returns the requested byte range (RFC 9110, 13.2.2 and 14.2). Null if Range does not apply: the
 * method is not GET, Range is missing, invalid or has several satisfiable ranges (optional to
 * support), If-None-Match matches, or If-Range does not match.
 *
 * @returns first and last byte, both inclusive
 * @throws DomainError `request.range-not-satisfiable`
 */
export function rangeOf(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { etag, size }: Representation,
): Range | null {
  const { range = '', 'if-range': condition = etag, 'if-none-match': known } = headers;
  // A weak tag or a date in If-Range never matches, because neither identifies the bytes
  if (method !== 'GET' || !isOfBytes.test(range) || condition !== etag || matches(known, etag)) return null;
  const ranges = parseRanges(size, clampSuffix(range, size));
  if (ranges === -1) {
    const detail = `The image has ${size} bytes.`;
    const headers = { 'content-range': `bytes */${size}` };
    throw new DomainError(problems['request.range-not-satisfiable'], detail, undefined, headers);
  }
  return ranges === -2 || ranges.length > 1 ? null : ranges[0]!;
}

/**
 * Limits suffix ranges to the size: the last 9,000 of 5,000 bytes are all bytes (RFC 9110, 14.1.2).
 * For range-parser, a longer suffix is not satisfiable.
 */
const clampSuffix = (header: string, size: number): string =>
  header.replaceAll(/(?<=[=,]\s*-)\d+/g, (last) => String(Math.min(Number(last), size)));
