import type { Writable } from 'node:stream';

/** File descriptor of a child for its tasks and replies: the first after the standard ones. */
export const childDescriptor = 3;

/** Message between an app and a child process: plain values and bytes. */
export type FrameMessage = Readonly<Record<string, unknown>>;

/** Placeholder for bytes in the header: their offsets in the byte section after the header. */
interface BytesAt {
  readonly bytesFrom: number;
  readonly bytesTo: number;
}

const lengthsSize = 8;
/**
 * Limit of the byte section. The largest is the artwork of a print file: 4 bytes for each of 50
 * million pixels. A section beyond the limit comes from a compromised process.
 */
const maxSectionBytes = 200_000_000;
/** Limit of the JSON header. The header of a measurement with `maxParts` parts has about 50 KB. */
const maxHeaderBytes = 1024 * 1024;

/**
 * Encodes a message as a frame: the lengths of header and bytes (32 bits each, little-endian), the
 * header as JSON, the bytes. The header is JSON because V8's own deserializer trusts its input.
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
  const header = Buffer.from(JSON.stringify(withoutBytes(message)));
  const lengths = Buffer.alloc(lengthsSize);
  lengths.writeUInt32LE(header.length, 0);
  lengths.writeUInt32LE(length, 4);
  return [lengths, header, ...bytes];
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

function decodeFrame(header: Buffer, bytes: Buffer): FrameMessage {
  return JSON.parse(header.toString(), (_name, value: unknown) =>
    isBytesAt(value) ? bytes.subarray(value.bytesFrom, value.bytesTo) : value,
  ) as FrameMessage;
}

/**
 * @throws Error when the bytes are not the start of a frame, or declare a frame that is too large
 */
function lengthsOf(start: Buffer): { header: number; bytes: number } {
  const [header, bytes] = [start.readUInt32LE(0), start.readUInt32LE(4)];
  if (header === 0 || header > maxHeaderBytes || bytes > maxSectionBytes)
    throw new Error(`invalid frame of ${header} and ${bytes} bytes`);
  return { header, bytes };
}

/**
 * Decodes frames from the chunks of a stream. Each chunk is copied once, when it arrives.
 */
export class FrameReader {
  private part = Buffer.alloc(lengthsSize);
  private filled = 0;
  /** Undefined while the two lengths are being read. */
  private headerLength: number | undefined;

  /** @throws Error when the stream has a frame that is invalid or too large */
  *read(chunk: Buffer): Iterable<FrameMessage> {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(this.part, this.filled, at);
      at += copied;
      this.filled += copied;
      if (this.filled < this.part.length) return;
      const { part, headerLength } = this;
      if (headerLength === undefined) {
        const { header, bytes } = lengthsOf(part);
        this.expect(header + bytes, header);
      } else {
        this.expect(lengthsSize, undefined);
        yield decodeFrame(part.subarray(0, headerLength), part.subarray(headerLength));
      }
    }
  }

  private expect(length: number, headerLength: number | undefined): void {
    this.part = Buffer.allocUnsafeSlow(length);
    this.filled = 0;
    this.headerLength = headerLength;
  }
}
