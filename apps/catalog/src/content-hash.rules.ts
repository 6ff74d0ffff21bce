import { createHash } from 'node:crypto';

/**
 * Returns a hash of 72 bits, which is equal for equal contents in every process.
 *
 * @param contents values that JSON can represent, or bytes
 */
export function contentHash(...contents: readonly (object | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return hash.digest('base64url').slice(0, 12);
}
