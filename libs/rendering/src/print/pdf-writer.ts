import { createHash } from 'node:crypto';
import { type Sink } from './sink.js';

/** Objects by their number in the file. */
const ids = {
  catalog: 1,
  pages: 2,
  page: 3,
  content: 4,
  outputProfile: 5,
  rgbProfile: 6,
  artwork: 7,
  artworkLength: 8,
  alpha: 9,
  metadata: 10,
  info: 11,
} as const;

type ObjectName = keyof typeof ids;

export const reference = (id: ObjectName): string => `${ids[id]} 0 R`;

export const pointsPerMillimetre = 72 / 25.4;

/** Returns numbers as operands, with as many digits as a place on a page needs. */
export const numbers = (values: readonly number[]): string =>
  values.map((value) => String(Number(value.toFixed(4)))).join(' ');

/** One of so many parts of a long stream is hashed: all of the largest area would take 0.2 s. */
const hashedParts = 16;

/** Writes objects and remembers their places for the cross-reference table. */
export class PdfWriter {
  private readonly offsets = new Map<number, number>();
  private readonly hash = createHash('sha256');
  private length = 0;

  constructor(private readonly sink: Sink) {}

  async write(part: string | Uint8Array, isHashed = true): Promise<void> {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    if (isHashed) this.hash.update(bytes);
    this.length += bytes.length;
    await this.sink(bytes);
  }

  async object(id: ObjectName, content: string): Promise<void> {
    this.begin(id);
    await this.write(`${ids[id]} 0 obj\n${content}\nendobj\n`);
  }

  async stream(id: ObjectName, dictionary: string, bytes: Uint8Array): Promise<void> {
    this.begin(id);
    await this.write(`${ids[id]} 0 obj\n<< ${dictionary} /Length ${bytes.length} >>\nstream\n`);
    await this.write(bytes);
    await this.write('\nendstream\nendobj\n');
  }

  /** Writes a stream whose length is known after it, in an object of its own. */
  async longStream(
    [id, lengthId]: readonly [ObjectName, ObjectName],
    dictionary: string,
    content: (sink: Sink) => Promise<void>,
  ): Promise<void> {
    this.begin(id);
    await this.write(`${ids[id]} 0 obj\n<< ${dictionary} /Length ${reference(lengthId)} >>\nstream\n`);
    const start = this.length;
    let parts = 0;
    await content((bytes) => this.write(bytes, parts++ % hashedParts === 0));
    const { length } = this;
    await this.write('\nendstream\nendobj\n');
    await this.object(lengthId, String(length - start));
  }

  /** Identifier of the content so far: the same content has the same identifier. */
  identifier(): string {
    return this.hash.copy().digest('hex').slice(0, 32);
  }

  async end(identifier: string): Promise<void> {
    const start = this.length;
    const count = Math.max(...Object.values(ids)) + 1;
    const entries = Array.from({ length: count }, (_, id) => {
      const offset = this.offsets.get(id);
      return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
    });
    const trailer = `<< /Size ${count} /Root ${reference('catalog')} /Info ${reference('info')} /ID [<${identifier}> <${identifier}>] >>`;
    await this.write(`xref\n0 ${count}\n${entries.join('')}trailer\n${trailer}\nstartxref\n${start}\n%%EOF\n`);
  }

  private begin(id: ObjectName): void {
    this.offsets.set(ids[id], this.length);
  }
}
