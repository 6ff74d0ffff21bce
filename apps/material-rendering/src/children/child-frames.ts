import type { Writable } from 'node:stream';

/** File descriptor on which a child receives its tasks: the first after the standard ones. */
export const childDescriptor = 3;

/** Messages between an app and a child process: plain values and bytes. */
export type FrameMessage = Readonly<Record<string, unknown>>;

/** Placeholder for bytes in the head: their offsets in the byte section that follows the head. */
interface BytesAt {
  readonly bytesFrom: number;
  readonly bytesTo: number;
}

const lengthsSize = 8;
/** The largest level has 17 MB. A larger byte section comes from a compromised process. */
const maxSectionBytes = 64 * 1024 * 1024;
/** Maximum size of the JSON head. That of a measurement with `maxParts` parts has about 50 KB. */
const maxHeadBytes = 1024 * 1024;

/**
 * Encodes a message as a frame: the lengths of head and bytes (32 bits each, little-endian), the
 * head as JSON, the bytes. The head is JSON because V8's own deserializer trusts its input.
 */
export function encodeFrame(message: object): Uint8Array[] {
  const bytes: Uint8Array[] = [];
  let length = 0;
  const withoutBytes = (value: unknown): unknown => {
    if (value instanceof Uint8Array) {
      bytes.push(value);
      length += value.length;
      return { bytesFrom: length - value.length, bytesTo: length } satisfies BytesAt;
    }
    if (Array.isArray(value)) return value.map(withoutBytes);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutBytes(field)]));
  };
  const head = Buffer.from(JSON.stringify(withoutBytes(message)));
  const lengths = Buffer.alloc(lengthsSize);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(length, 4);
  return [lengths, head, ...bytes];
}

/** Writes a message, in one system call if the stream has capacity. */
export function writeFrame(stream: Writable, message: object): void {
  const parts = encodeFrame(message);
  stream.cork();
  for (const part of parts) stream.write(part);
  stream.uncork();
}

const isBytesAt = (value: unknown): value is BytesAt =>
  typeof value === 'object' && value !== null && 'bytesFrom' in value && 'bytesTo' in value;

function decodeFrame(head: Buffer, bytes: Buffer): FrameMessage {
  return JSON.parse(head.toString(), (_name, value: unknown) =>
    isBytesAt(value) ? bytes.subarray(value.bytesFrom, value.bytesTo) : value,
  ) as FrameMessage;
}

/** @throws Error when the bytes are not the start of a frame, or declare one that is too large */
function lengthsOf(start: Buffer): { head: number; bytes: number } {
  const [head, bytes] = [start.readUInt32LE(0), start.readUInt32LE(4)];
  if (head === 0 || head > maxHeadBytes || bytes > maxSectionBytes)
    throw new Error(`invalid frame of ${head} and ${bytes} bytes`);
  return { head, bytes };
}

/**
 * Decodes frames from the chunks of a stream. Each chunk is copied once, while the next one
 * arrives.
 */
export class FrameReader {
  private part = Buffer.alloc(lengthsSize);
  private filled = 0;
  /** Undefined while the two lengths are being read. */
  private headLength: number | undefined;

  /** @throws Error when the stream has an invalid frame, or one that is too large */
  *read(chunk: Buffer): Iterable<FrameMessage> {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(this.part, this.filled, at);
      at += copied;
      this.filled += copied;
      if (this.filled < this.part.length) return;
      const { part, headLength } = this;
      if (headLength === undefined) {
        const { head, bytes } = lengthsOf(part);
        this.expect(head + bytes, head);
      } else {
        this.expect(lengthsSize, undefined);
        yield decodeFrame(part.subarray(0, headLength), part.subarray(headLength));
      }
    }
  }

  private expect(length: number, headLength: number | undefined): void {
    this.part = Buffer.allocUnsafeSlow(length);
    this.filled = 0;
    this.headLength = headLength;
  }
}
