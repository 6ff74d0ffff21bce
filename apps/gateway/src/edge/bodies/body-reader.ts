import { randomUUID } from 'node:crypto';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { DataUri } from './data-uri.js';

/** Objects and arrays in a body. The largest honest one, 100 products with 10 sides each, has 1,300. */
const mostParts = 20_000;

/** Texts in a body, keys included; the same honest one has 8,000. Half a million different keys take a third of a second. */
const mostTexts = 50_000;

/** Bytes of a body beside its data URIs. 1,000 addresses of images, each as long as one may be, take 2 MB. */
const mostRest = 4 * 1024 * 1024;

/** Bytes of the longest address of an image, 2,048 characters, each of them escaped. */
const longestAddress = 2_048 * 6;

/** A data URI of fewer bytes stays where it is. */
const shortDataUri = 1_024;

/** What stands before the text that may be a large image. A key that is escaped in part is one of an ordinary text. */
const textureKey = /(?<!\\)"texture"\s*:\s*$/;
const keyRoom = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const code = { quote: 0x22, backslash: 0x5c, u: 0x75, brace: 0x7b, bracket: 0x5b } as const;

export const bodyRefusal = (
  kind: 'request.body-not-json' | 'request.invalid' | 'request.too-large',
  message: string,
): DomainError => new DomainError(problems[kind], `The body ${message}.`, [{ path: 'body', message }]);

/** The text that a piece of a JSON string stands for. Of bytes beyond ASCII it keeps the bytes. */
function unescaped(piece: Buffer): string {
  try {
    return JSON.parse(`"${piece.toString('latin1')}"`) as string;
  } catch {
    throw bodyRefusal('request.body-not-json', 'is not JSON');
  }
}

/** The value of a key `texture`, as far as it has come. */
class TextureValue {
  private raw: Buffer[] = [];
  private length = 0;
  private uri: DataUri | undefined;
  private isOther = false;

  add(piece: Buffer): void {
    if (this.uri) this.uri.add(unescaped(piece));
    else if (!this.isOther) {
      this.raw.push(piece);
      this.length += piece.length;
      if (this.length > longestAddress) this.decide();
    }
  }

  /** @returns the large data URI, or the value as sent: of one that is too long to be accepted, its beginning */
  end(): DataUri | readonly Buffer[] {
    if (!this.uri && !this.isOther && this.length > shortDataUri) this.decide();
    return this.uri ?? this.raw;
  }

  private decide(): void {
    const head = unescaped(Buffer.concat(this.raw));
    this.isOther = !/^data:/i.test(head);
    if (this.isOther) return;
    this.uri = new DataUri(head);
    this.raw = [];
  }
}

/** A body without its large data URIs, each of which left a short one in its place that names it. */
interface ReadBody {
  readonly json: string;
  readonly dataUris: ReadonlyMap<string, DataUri>;
}

/**
 * Reads the bytes of a JSON body as they come, so that 32 MB of it never are one text: large images are decoded on the
 * way. Millions of small parts are refused before they are made: 32 MB of them take a gigabyte. Whether it is JSON at
 * all, the parser says about the rest.
 */
export class BodyReader {
  private rest = Buffer.allocUnsafe(1_024);
  private restLength = 0;
  /** The last bytes before this chunk. */
  private tail = '';
  /** An escape of which only a part has come. */
  private held: Buffer | undefined;
  private isInText = false;
  private texture: TextureValue | undefined;
  private parts = 0;
  private texts = 0;
  private readonly dataUris = new Map<string, DataUri>();

  /** @throws DomainError 400 or 413 */
  add(chunk: Buffer): void {
    const bytes = this.held ? Buffer.concat([this.held, chunk]) : chunk;
    this.held = undefined;
    let at = 0;
    while (at < bytes.length) at = this.isInText ? this.throughText(bytes, at) : this.toText(bytes, at);
    this.tail = this.before(bytes, bytes.length);
  }

  /** @throws DomainError 400 when it is not UTF-8: what cannot be read must not be stored as something else */
  end(): ReadBody {
    try {
      return { json: utf8.decode(this.rest.subarray(0, this.restLength)), dataUris: this.dataUris };
    } catch {
      throw bodyRefusal('request.body-not-json', 'is not UTF-8');
    }
  }

  /** Goes on to the first byte of the next text. */
  private toText(bytes: Buffer, from: number): number {
    let at = from;
    for (; at < bytes.length && bytes[at] !== code.quote; at++)
      if (bytes[at] === code.brace || bytes[at] === code.bracket) this.parts++;
    if (this.parts > mostParts)
      throw bodyRefusal('request.invalid', `must have at most ${mostParts} objects and arrays`);
    const end = Math.min(at + 1, bytes.length);
    this.keep(bytes.subarray(from, end));
    if (at === bytes.length) return end;
    if (++this.texts > mostTexts) throw bodyRefusal('request.invalid', `must have at most ${mostTexts} texts and keys`);
    this.isInText = true;
    if (textureKey.test(this.before(bytes, at))) this.texture = new TextureValue();
    return end;
  }

  /** Goes on behind the end of the text, or to the end of what has come. */
  private throughText(bytes: Buffer, from: number): number {
    // A search instead of a look at each byte: 80 ms for an image of 20 MB instead of 180
    const quote = bytes.indexOf(code.quote, from);
    const unlessEscaped = quote < 0 ? bytes.length : quote;
    const firstEscape = bytes.subarray(from, unlessEscaped).indexOf(code.backslash);
    let at = firstEscape < 0 ? unlessEscaped : from + firstEscape;
    let escape = -1;
    while (at < bytes.length && bytes[at] !== code.quote) {
      if (bytes[at] === code.backslash) {
        escape = at;
        at += 2;
      } else at++;
    }
    if (at < bytes.length) {
      this.inText(bytes.subarray(from, at));
      this.endText();
      this.keep(bytes.subarray(at, at + 1));
      return at + 1;
    }
    const isCut = escape >= 0 && escape + (bytes[escape + 1] === code.u ? 6 : 2) > bytes.length;
    this.inText(bytes.subarray(from, isCut ? escape : bytes.length));
    if (isCut) this.held = bytes.subarray(escape);
    return bytes.length;
  }

  private inText(piece: Buffer): void {
    if (this.texture) this.texture.add(piece);
    else this.keep(piece);
  }

  private endText(): void {
    const value = this.texture?.end();
    this.texture = undefined;
    this.isInText = false;
    if (value instanceof DataUri) {
      // A name that nobody can guess, so that no client can write it
      const name = `data:;taken=${randomUUID()},`;
      this.dataUris.set(name, value);
      this.keep(Buffer.from(name));
    } else for (const piece of value ?? []) this.keep(piece);
  }

  private keep(bytes: Buffer): void {
    const length = this.restLength + bytes.length;
    if (length > mostRest)
      throw bodyRefusal('request.too-large', `without its data URIs is over the limit of ${mostRest} bytes`);
    if (length > this.rest.length) {
      const larger = Buffer.allocUnsafe(length * 2);
      this.rest.copy(larger, 0, 0, this.restLength);
      this.rest = larger;
    }
    bytes.copy(this.rest, this.restLength);
    this.restLength = length;
  }

  private before(bytes: Buffer, at: number): string {
    if (at >= keyRoom) return bytes.toString('latin1', at - keyRoom, at);
    return (this.tail + bytes.toString('latin1', 0, at)).slice(-keyRoom);
  }
}
