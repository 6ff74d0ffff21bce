import { createHash } from 'node:crypto';
import { decodeLevel } from './level.js';
import { type PrintTexture } from './texture.js';

/** Returns a texture that is decoded in this process, because its image is one of this project. */
export function ownTexture(bytes: Buffer): PrintTexture {
  const decode = (edge: number) => decodeLevel(bytes, edge);
  return {
    hash: createHash('sha256').update(bytes).digest('hex'),
    aspect: async () => (await decode(32)).aspect,
    decode,
  };
}
