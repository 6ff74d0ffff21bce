/** Messages between an app and a child process: plain values and bytes. */
export type FrameMessage = Readonly<Record<string, unknown>>;

/** Stands in the head for bytes: where they begin and end among those that follow it. */
interface BytesAt {
  readonly bytesFrom: number;
  readonly bytesTo: number;
}

const lengthsSize = 8;
/** The largest level has 17 MB; a larger claim comes from a process that an attacker has taken over. */
const maxFrameBytes = 64 * 1024 * 1024;

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

const isBytesAt = (value: unknown): value is BytesAt =>
  typeof value === 'object' && value !== null && 'bytesFrom' in value && 'bytesTo' in value;

function decodeFrame(head: Buffer, bytes: Buffer): FrameMessage {
  return JSON.parse(head.toString(), (_name, value: unknown) =>
    isBytesAt(value) ? bytes.subarray(value.bytesFrom, value.bytesTo) : value,
  ) as FrameMessage;
}

/** Frames out of the pieces of a stream. */
export class FrameReader {
  private pieces: Buffer[] = [];
  private size = 0;
  private wanted = lengthsSize;

  /** @throws Error when the stream has no frames, or one that is too large */
  *read(piece: Buffer): Iterable<FrameMessage> {
    this.pieces.push(piece);
    this.size += piece.length;
    while (this.size >= this.wanted) {
      const start = this.joined();
      const [headLength, bytesLength] = [start.readUInt32LE(0), start.readUInt32LE(4)];
      this.wanted = lengthsSize + headLength + bytesLength;
      if (this.wanted > maxFrameBytes) throw new Error(`a frame of ${this.wanted} bytes`);
      if (this.size < this.wanted) return;
      const frame = start.subarray(0, this.wanted);
      const rest = start.subarray(this.wanted);
      [this.pieces, this.size, this.wanted] = [[rest], rest.length, lengthsSize];
      const headEnd = lengthsSize + headLength;
      yield decodeFrame(frame.subarray(lengthsSize, headEnd), frame.subarray(headEnd));
    }
  }

  private joined(): Buffer {
    if (this.pieces.length !== 1) this.pieces = [Buffer.concat(this.pieces)];
    return this.pieces[0]!;
  }
}
