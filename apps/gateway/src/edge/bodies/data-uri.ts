import { DomainError } from '#kernel';
import { problems } from '#contracts';

/** Limit of characters of a percent-encoded image, which is slow to decode. */
const percentLimit = 1024 * 1024;

/** Largest texture in bytes. */
export const textureLimit = 20 * 1024 * 1024;

/** Base64 characters per decoding block, because a body may arrive in millions of small chunks. */
const blockLength = 64 * 1024;

const header = /^data:([\w.+/-]*(?:;[\w.+-]+=[\w.+"-]*)*)(;base64)?,/i;

/** Longest header of a data URI, up to its comma. */
export const headerLimit = 1_000;

/**
 * A data URI (RFC 2397), base64 or percent-encoded. Base64 is decoded in chunks: decoding 27
 * million characters in one call would block the event loop for a third of a second. At most 20 MB
 * are stored. The media type is ignored: the format is detected from the bytes later.
 */
export class DataUri {
  private readonly isBase64: boolean;
  private readonly isMalformed: boolean;
  private isEmptyText = true;
  private pieces: Buffer[] = [];
  private size = 0;
  /** Undecoded text: less than a block of base64, or all percent-encoded text. */
  private pending = '';

  /**
   * @param head at least the first `headerLimit` characters, or the complete URI if it is shorter
   */
  constructor(head: string) {
    const match = header.exec(head.slice(0, headerLimit));
    this.isMalformed = match === null;
    this.isBase64 = match?.[2] !== undefined;
    if (match) this.add(head.slice(match[0].length));
  }

  /** Appends text. */
  add(text: string): void {
    if (this.isMalformed) return;
    if (text !== '') this.isEmptyText = false;
    if (this.isBase64) this.addBase64(text);
    else if (this.pending.length <= percentLimit) this.pending += text;
  }

  /**
   * Returns the decoded bytes in chunks, because concatenating 20 MB would block the event loop.
   *
   * @param path path in the body for errors, `body.texture`
   * @throws DomainError if the URI is malformed, empty, over 20 MB, or percent-encoded with more
   *   than `percentLimit` characters
   */
  bytes(path: string): readonly Buffer[] {
    const reject = (code: 'texture.not-decoded' | 'texture.empty' | 'texture.too-large', detail: string) =>
      new DomainError(problems[code], `${path}: ${detail}`, [{ path, message: detail }]);
    if (this.isMalformed) throw reject('texture.not-decoded', 'the data URI is malformed');
    if (!this.isBase64 && this.pending.length > percentLimit)
      throw reject('texture.too-large', 'the data is percent-encoded and over 1 MB; send it as base64, at most 20 MB');
    const last = this.isBase64 ? Buffer.from(this.pending, 'base64') : decodePercent(this.pending);
    if (!last) throw reject('texture.not-decoded', 'the data URI is malformed');
    const size = this.size + last.length;
    // Non-base64 characters are skipped, so text without base64 characters decodes to 0 bytes
    if (size === 0 && !this.isEmptyText) throw reject('texture.not-decoded', 'the data is not base64');
    if (size === 0) throw reject('texture.empty', 'the image has 0 bytes');
    if (size > textureLimit) throw reject('texture.too-large', `the image has ${size} bytes, over 20 MB`);
    return [...this.pieces, last];
  }

  private addBase64(text: string): void {
    // Like Node's decoder, skips line breaks, padding and other characters
    this.pending += text.replace(/[^\w+/-]+/g, '');
    if (this.pending.length < blockLength) return;
    const whole = this.pending.length - (this.pending.length % 4);
    const piece = Buffer.from(this.pending.slice(0, whole), 'base64');
    this.pending = this.pending.slice(whole);
    this.size += piece.length;
    if (this.size <= textureLimit) this.pieces.push(piece);
    else this.pieces = [];
  }
}

function decodePercent(text: string): Buffer | null {
  if (/%(?![\da-f]{2})/i.test(text)) return null;
  return Buffer.from(
    text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
}
