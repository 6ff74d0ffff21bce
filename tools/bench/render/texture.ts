import { type PrintTexture } from '../../../apps/material-rendering/src/pipeline/render-engine.js';
import { type TextureDecoder } from '../../../apps/material-rendering/src/textures/texture.decoder.js';

/** Returns a stored square texture, decoded by a child process as in a worker. */
export const storedTexture = (hash: string, decoder: TextureDecoder, path: string): PrintTexture => ({
  hash,
  aspect: () => Promise.resolve(1),
  decode: (edge) => decoder.level(path, edge),
});
