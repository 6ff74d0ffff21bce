import { DomainError } from '#kernel';
import { problems } from '#contracts';

/** Characters of a percent-encoded picture: the form is for small ones, and takes longer to read. */
const percentLimit = 1024 * 1024;

/** The largest texture, in bytes. */
export const textureLimit = 20 * 1024 * 1024;

const head = /^data:([\w.+/-]*(?:;[\w.+-]+=[\w.+"-]*)*)(;base64)?,/i;

/**
 * The bytes of a data URI (RFC 2397), base64 or percent-encoded. The media type is not believed: the picture is
 * recognised by its bytes later.
 *
 * @param path names the place in the body for the error, `body.texture`
 * @throws DomainError when it is malformed, empty or over 20 MB
 */
export function dataUriBytes(uri: string, path: string): Buffer {
  const refuse = (code: 'texture.not-decoded' | 'texture.empty' | 'texture.too-large', detail: string) =>
    new DomainError(problems[code], `${path}: ${detail}`, [{ path, message: detail }]);
  // The pattern runs on the head only: the tail may have 27 million characters
  const match = head.exec(uri.slice(0, 1_000));
  if (!match) throw refuse('texture.not-decoded', 'the data URI is malformed');
  const data = uri.slice(match[0].length);
  if (data.length > (match[2] ? textureLimit * 1.4 : percentLimit))
    throw refuse('texture.too-large', 'the data URI is too long; 20 MB as base64 are the most');
  const bytes = match[2] ? Buffer.from(data, 'base64') : percentDecoded(data);
  // Node skips what is not base64; of a text that is none at all nothing is left
  if (match[2] && data.length > 0 && bytes?.length === 0) throw refuse('texture.not-decoded', 'the data is not base64');
  if (!bytes) throw refuse('texture.not-decoded', 'the data URI is malformed');
  if (bytes.length === 0) throw refuse('texture.empty', 'the picture has 0 bytes');
  if (bytes.length > textureLimit)
    throw refuse('texture.too-large', `the picture has ${bytes.length} bytes, over 20 MB`);
  return bytes;
}

function percentDecoded(text: string): Buffer | null {
  if (/%(?![\da-f]{2})/i.test(text)) return null;
  return Buffer.from(
    text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
}
