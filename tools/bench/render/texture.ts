import { type PrintTexture } from '../../../apps/material-rendering/src/pipeline/render-engine.js';
import { type TextureDecoder } from '../../../apps/material-rendering/src/textures/texture.decoder.js';

/** A stored square texture as a worker has it: the table knows its shape, a child process decodes its file. */
export const storedTexture = (hash: string, decoder: TextureDecoder, path: string): PrintTexture => ({
  hash,
  aspect: () => Promise.resolve(1),
  decode: (edge) => decoder.level(path, edge),
});
