import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { LineFile } from './manifest.js';

const newline = 0x0a;

/** Counts lines of a stream. COPY writes one line per row and escapes line breaks in values. */
class LineCounter extends Transform {
  lines = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.lines += 1;
    done(null, chunk);
  }
}

/** Computes size and SHA-256 of a stream. */
export class Hasher extends Transform {
  private readonly hash = createHash('sha256');
  bytes = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.hash.update(chunk);
    this.bytes += chunk.length;
    done(null, chunk);
  }

  get sha256(): string {
    return this.hash.copy().digest('hex');
  }
}

/** Writes a compressed file, which is flushed to disk when the promise resolves. */
export async function writeLines(folder: string, file: string, source: Readable): Promise<LineFile> {
  const [lines, hash] = [new LineCounter(), new Hasher()];
  // Level 1 takes a third of the time of the default level for a tenth more space
  const compress = createGzip({ level: 1 });
  const target = createWriteStream(join(folder, file), { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(source, lines, compress, hash, target);
  return { file, lines: lines.lines, bytes: hash.bytes, sha256: hash.sha256 };
}

/** Returns the decompressed content of a file. */
export const readLines = (folder: string, file: string): Readable => {
  const source = createReadStream(join(folder, file));
  const content = createGunzip();
  source.on('error', (error) => content.destroy(error));
  return source.pipe(content);
};

/** Yields the parsed JSON of each line. @throws SyntaxError */
export async function* jsonLines(folder: string, file: string): AsyncGenerator {
  let rest = '';
  for await (const chunk of readLines(folder, file).setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
}

/** Compares a file with its manifest entry. Returns the first difference, or null. */
export async function fileProblem(folder: string, { file, bytes, sha256, lines }: LineFile): Promise<string | null> {
  const stats = await stat(join(folder, file)).catch(() => null);
  if (stats === null) return `${file} is missing`;
  if (stats.size !== bytes) return `${file} has ${stats.size} bytes instead of ${bytes}`;
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, file)), hash);
  if (hash.digest('hex') !== sha256) return `${file} has other bytes than were written`;
  const counter = new LineCounter();
  try {
    await pipeline(createReadStream(join(folder, file)), createGunzip(), counter.resume());
  } catch {
    return `${file} cannot be decompressed`;
  }
  return counter.lines === lines ? null : `${file} has ${counter.lines} lines instead of ${lines}`;
}
