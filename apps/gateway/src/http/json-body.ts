import { problems } from '#contracts';
import { DomainError } from '#kernel';

/** Objects and arrays in a body. The largest honest one, 100 products with 10 sides each, has 1,300. */
const mostParts = 20_000;

const refuse = (code: 'request.body-not-json' | 'request.invalid', message: string): DomainError =>
  new DomainError(problems[code], `The body ${message}.`, [{ path: 'body', message }]);

/** True when `sign` stands in the text more than `limit` times. Base64 holds neither bracket, so a texture costs a scan. */
function hasMore(text: string, sign: string, limit: number): boolean {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) if (++count > limit) return true;
  return false;
}

/**
 * Reads a JSON body. An empty one is no body: programs in the field send a JSON content type always. Millions of small
 * objects are refused before they are made: 32 MB of them take a gigabyte.
 *
 * @throws DomainError 400
 */
export function readJsonBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  if (hasMore(text, '{', mostParts) || hasMore(text, '[', mostParts))
    throw refuse('request.invalid', `must have at most ${mostParts} objects and arrays`);
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('request.body-not-json', 'is not JSON');
  }
}
