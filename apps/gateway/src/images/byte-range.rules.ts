import type { IncomingMessage } from 'node:http';
import parseRanges, { type Range } from 'range-parser';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { matches } from '../edge/headers/entity-tag.js';

/** What is sent: its strong entity tag, and its size in bytes. */
interface Representation {
  readonly etag: string;
  readonly size: number;
}

const isOfBytes = /^bytes=/i;

/**
 * The part of the bytes that a request asks for (RFC 9110, 13.2.2 and 14.2). Null for all of them: nobody asks for less,
 * the client has the image already or has parts of another one, or wants several parts, which nobody has to send.
 *
 * @returns the first and the last byte, both included
 * @throws DomainError `request.range-not-satisfiable`
 */
export function rangeOf(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { etag, size }: Representation,
): Range | null {
  const { range = '', 'if-range': condition = etag, 'if-none-match': known } = headers;
  // A weak tag and a date do not name these bytes
  if (method !== 'GET' || !isOfBytes.test(range) || condition !== etag || matches(known, etag)) return null;
  const ranges = parseRanges(size, withinSize(range, size));
  if (ranges === -1) {
    const detail = `The image has ${size} bytes.`;
    const headers = { 'content-range': `bytes */${size}` };
    throw new DomainError(problems['request.range-not-satisfiable'], detail, undefined, headers);
  }
  return ranges === -2 || ranges.length > 1 ? null : ranges[0]!;
}

/** The last 9,000 of 5,000 bytes are all of them (RFC 9110, 14.1.2); range-parser would find none. */
const withinSize = (header: string, size: number): string =>
  header.replaceAll(/(?<=[=,]\s*-)\d+/g, (last) => String(Math.min(Number(last), size)));
