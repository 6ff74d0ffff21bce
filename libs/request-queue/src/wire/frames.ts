import { type ReplyHeaders } from './raw-reply.js';

/**
 * Binary frames, version 2, big-endian:
 *
 *     request  u8 version | u8 flags | u48 correlation | f64 deadline ms | u32 ttl ms
 *              | u8 replyKey length | u8 pattern length | u16 headers length
 *              | replyKey | pattern | headers (JSON map) | payload
 *     reply    u8 version | u8 flags | u48 correlation | u16 status | u16 headers length
 *              | headers (JSON map) | body
 */
const version = 2;
const requestHeadBytes = 24;
const replyHeadBytes = 12;

/**
 * Bits of `flags`. `late` marks the problem of an attempt that was rejected because its deadline or
 * half of its time had passed: this attempt was not and will not be executed.
 */
export const frameFlags = { noReply: 1, raw: 2, problem: 4, late: 8 } as const;

export interface RequestFrame {
  readonly flags: number;
  /**
   * Random, and unique among the open requests of one client process. All services push to the one
   * reply list of that process. A service cannot guess the id of a request that it did not receive,
   * so it cannot forge the reply.
   */
  readonly correlation: number;
  /** Milliseconds since 1970 by Redis' clock. The frame was sent at `deadline - ttl`. */
  readonly deadline: number;
  readonly ttl: number;
  readonly replyKey: string;
  readonly pattern: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

export interface ReplyFrame {
  readonly flags: number;
  readonly correlation: number;
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: Buffer;
}

const noHeaders = Object.freeze({});
const emptyBytes = Buffer.alloc(0);

function headerBytes(headers: Readonly<Record<string, string>>): Buffer {
  for (const name in headers)
    if (Object.hasOwn(headers, name)) return checkSize(Buffer.from(JSON.stringify(headers)), 0xffff, 'headers');
  return emptyBytes;
}

function checkSize(bytes: Buffer, maxBytes: number, field: string): Buffer {
  if (bytes.length > maxBytes) throw new RangeError(`${field}: ${bytes.length} bytes, maximum ${maxBytes}`);
  return bytes;
}

/** Encodes a request. @throws RangeError when the key, the pattern or the headers are too long */
export function encodeRequest(frame: RequestFrame): Buffer {
  const key = checkSize(Buffer.from(frame.replyKey), 0xff, 'reply key');
  const pattern = checkSize(Buffer.from(frame.pattern), 0xff, 'pattern');
  const headers = headerBytes(frame.headers);
  const head = Buffer.allocUnsafe(requestHeadBytes);
  head.writeUInt8(version, 0);
  head.writeUInt8(frame.flags, 1);
  head.writeUIntBE(frame.correlation, 2, 6);
  head.writeDoubleBE(frame.deadline, 8);
  head.writeUInt32BE(Math.min(0xffff_ffff, Math.max(0, Math.round(frame.ttl))), 16);
  head.writeUInt8(key.length, 20);
  head.writeUInt8(pattern.length, 21);
  head.writeUInt16BE(headers.length, 22);
  return Buffer.concat([head, key, pattern, headers, frame.payload]);
}

/**
 * Decodes a request. Returns null for malformed bytes and for another version. The payload is a
 * view of `bytes`.
 */
export function decodeRequest(bytes: Buffer): RequestFrame | null {
  if (bytes.length < requestHeadBytes || bytes[0] !== version) return null;
  const keyEnd = requestHeadBytes + bytes.readUInt8(20);
  const patternEnd = keyEnd + bytes.readUInt8(21);
  const headersEnd = patternEnd + bytes.readUInt16BE(22);
  if (headersEnd > bytes.length) return null;
  const headers = readHeaders(bytes, patternEnd, headersEnd);
  const deadline = bytes.readDoubleBE(8);
  if (!headers || !Number.isFinite(deadline)) return null;
  return {
    flags: bytes.readUInt8(1),
    correlation: bytes.readUIntBE(2, 6),
    deadline,
    ttl: bytes.readUInt32BE(16),
    replyKey: bytes.toString('utf8', requestHeadBytes, keyEnd),
    pattern: bytes.toString('utf8', keyEnd, patternEnd),
    headers,
    payload: bytes.subarray(headersEnd),
  };
}

/**
 * Encodes a reply. @throws RangeError when the headers are too long or the status is out of range
 */
export function encodeReply(frame: ReplyFrame): Buffer {
  const headers = headerBytes(frame.headers);
  const head = Buffer.allocUnsafe(replyHeadBytes);
  head.writeUInt8(version, 0);
  head.writeUInt8(frame.flags, 1);
  head.writeUIntBE(frame.correlation, 2, 6);
  head.writeUInt16BE(frame.status, 8);
  head.writeUInt16BE(headers.length, 10);
  return Buffer.concat([head, headers, frame.body]);
}

/**
 * Decodes a reply. Returns null for malformed bytes and for another version. The body is a view of
 * `bytes`.
 */
export function decodeReply(bytes: Buffer): ReplyFrame | null {
  if (bytes.length < replyHeadBytes || bytes[0] !== version) return null;
  const headersEnd = replyHeadBytes + bytes.readUInt16BE(10);
  const status = bytes.readUInt16BE(8);
  if (headersEnd > bytes.length || status < 100 || status > 599) return null;
  const headers = readHeaders(bytes, replyHeadBytes, headersEnd);
  if (!headers) return null;
  return {
    flags: bytes.readUInt8(1),
    correlation: bytes.readUIntBE(2, 6),
    status,
    headers,
    body: bytes.subarray(headersEnd),
  };
}

function readHeaders(bytes: Buffer, start: number, end: number): Record<string, string> | null {
  if (start === end) return noHeaders;
  try {
    const headers: unknown = JSON.parse(bytes.toString('utf8', start, end));
    const isMap = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
    return isMap && Object.values(headers).every((value) => typeof value === 'string')
      ? (headers as Record<string, string>)
      : null;
  } catch {
    return null;
  }
}
