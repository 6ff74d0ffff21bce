import { DomainError } from '#kernel';
import { problems } from '#contracts';

/** Characters of a percent-encoded image: the form is for small ones, and takes longer to read. */
const percentLimit = 1024 * 1024;

/** The largest texture, in bytes. */
export const textureLimit = 20 * 1024 * 1024;

/** Letters of base64 that are decoded together: a body may come in millions of pieces of a few bytes each. */
const decodedAtOnce = 64 * 1024;

const header = /^data:([\w.+/-]*(?:;[\w.+-]+=[\w.+"-]*)*)(;base64)?,/i;

/** The beginning of a data URI that holds everything before its comma. */
export const headerLimit = 1_000;

/**
 * A data URI (RFC 2397), base64 or percent-encoded, that is read piece by piece: a whole one of 27 million characters
 * would stop everything else for a third of a second. No more than 20 MB are kept, however long it is. The media type is
 * not believed: the image is recognised by its bytes later.
 */
export class DataUri {
  private readonly isBase64: boolean;
  private readonly isMalformed: boolean;
  private isEmptyText = true;
  private pieces: Buffer[] = [];
  private size = 0;
  /** Text that is not decoded yet: base64 short of what is decoded at once, or all that is percent-encoded. */
  private waiting = '';

  /** @param head its first `headerLimit` characters or more, all of it when it is shorter */
  constructor(head: string) {
    const match = header.exec(head.slice(0, headerLimit));
    this.isMalformed = match === null;
    this.isBase64 = match?.[2] !== undefined;
    if (match) this.add(head.slice(match[0].length));
  }

  /** Takes the text that follows. */
  add(text: string): void {
    if (this.isMalformed) return;
    if (text !== '') this.isEmptyText = false;
    if (this.isBase64) this.addBase64(text);
    else if (this.waiting.length <= percentLimit) this.waiting += text;
  }

  /**
   * The bytes of the whole, in pieces: putting 20 MB together would stop everything else once more.
   *
   * @param path names the place in the body for the error, `body.texture`
   * @throws DomainError when it is malformed, empty or over 20 MB
   */
  bytes(path: string): readonly Buffer[] {
    const refuse = (code: 'texture.not-decoded' | 'texture.empty' | 'texture.too-large', detail: string) =>
      new DomainError(problems[code], `${path}: ${detail}`, [{ path, message: detail }]);
    if (this.isMalformed) throw refuse('texture.not-decoded', 'the data URI is malformed');
    if (!this.isBase64 && this.waiting.length > percentLimit)
      throw refuse('texture.too-large', 'the data URI is too long; 20 MB as base64 are the most');
    const last = this.isBase64 ? Buffer.from(this.waiting, 'base64') : percentDecoded(this.waiting);
    if (!last) throw refuse('texture.not-decoded', 'the data URI is malformed');
    const size = this.size + last.length;
    // What is not base64 is skipped; of a text that is none at all nothing is left
    if (size === 0 && !this.isEmptyText) throw refuse('texture.not-decoded', 'the data is not base64');
    if (size === 0) throw refuse('texture.empty', 'the image has 0 bytes');
    if (size > textureLimit) throw refuse('texture.too-large', `the image has ${size} bytes, over 20 MB`);
    return [...this.pieces, last];
  }

  private addBase64(text: string): void {
    // As Node's decoder does: line breaks, the padding and anything else that is no base64 are skipped
    this.waiting += text.replace(/[^\w+/-]+/g, '');
    if (this.waiting.length < decodedAtOnce) return;
    const whole = this.waiting.length - (this.waiting.length % 4);
    const piece = Buffer.from(this.waiting.slice(0, whole), 'base64');
    this.waiting = this.waiting.slice(whole);
    this.size += piece.length;
    if (this.size <= textureLimit) this.pieces.push(piece);
    else this.pieces = [];
  }
}

function percentDecoded(text: string): Buffer | null {
  if (/%(?![\da-f]{2})/i.test(text)) return null;
  return Buffer.from(
    text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
}
