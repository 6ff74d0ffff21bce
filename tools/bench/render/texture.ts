import { type PrintTexture } from '#rendering/render-engine.js';
import { type TextureDecoder } from '../../../apps/material-rendering/src/textures/texture.decoder.js';
import { type StoredMaterial } from './materials.js';

/** Returns a stored texture, decoded by a child process as in a worker. */
export const storedTexture = (
  hash: string,
  decoder: TextureDecoder,
  { path, aspect }: Pick<StoredMaterial, 'path' | 'aspect'>,
): PrintTexture => ({
  hash,
  aspect: () => Promise.resolve(aspect),
  decode: (edge) => decoder.level(path, edge),
});
