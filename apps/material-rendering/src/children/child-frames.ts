import type { Writable } from 'node:stream';

/** Where a child finds its orders: the first descriptor after the standard ones. */
export const childDescriptor = 3;

/** Messages between an app and a child process: plain values and bytes. */
export type FrameMessage = Readonly<Record<string, unknown>>;

/** Stands in the head for bytes: where they begin and end among those that follow it. */
interface BytesAt {
  readonly bytesFrom: number;
  readonly bytesTo: number;
}

const lengthsSize = 8;
/** The largest level has 17 MB; a larger claim comes from a process that an attacker has taken over. */
const maxBytes = 64 * 1024 * 1024;
/** A thousand parts of a file take 50 KB. */
const maxHeadBytes = 1024 * 1024;

/**
 * A message as a frame: the lengths of head and bytes (32 bits each), the head as JSON, the bytes. JSON, as the parser of
 * V8's own serialization trusts its input.
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

/** Sends a message in one system call, as far as the stream takes it. */
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

/** @throws Error when it is no frame, or one that is too large */
function lengthsOf(start: Buffer): { head: number; bytes: number } {
  const [head, bytes] = [start.readUInt32LE(0), start.readUInt32LE(4)];
  if (head === 0 || head > maxHeadBytes || bytes > maxBytes) throw new Error(`a frame of ${head} and ${bytes} bytes`);
  return { head, bytes };
}

/** Frames out of the pieces of a stream. Each piece is copied once, while the next one is on its way. */
export class FrameReader {
  private part = Buffer.alloc(lengthsSize);
  private filled = 0;
  /** Undefined while the lengths are read. */
  private headLength: number | undefined;

  /** @throws Error when the stream has no frames, or one that is too large */
  *read(piece: Buffer): Iterable<FrameMessage> {
    for (let at = 0; at < piece.length;) {
      const copied = piece.copy(this.part, this.filled, at);
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
