import { type PlacedArtwork, type ResizeMode } from '#contracts';
import { type RenderEngine, type RenderRequest } from '#rendering/render-engine.js';
import { type TextureDecoder } from '../../../apps/material-rendering/src/textures/texture.decoder.js';
import { type ImageMagick } from './imagemagick.js';
import { type StoredMaterial } from './materials.js';
import { type Case, type Work } from './rounds.js';
import { storedTexture } from './texture.js';
import { type Aim } from './verdict.js';

/** Files of the render engine. */
export interface EngineFiles {
  readonly blanksFolder: string;
  readonly cmykProfile: string;
}

/** Inputs of all cases. */
export interface BenchContext extends EngineFiles {
  readonly decoder: TextureDecoder;
  readonly materials: readonly StoredMaterial[];
  /** Undefined if it is not installed. */
  readonly imageMagick: ImageMagick | undefined;
}

/** Case with its targets. */
export interface AimedCase extends Case {
  readonly aims: readonly Aim[];
}

/** Item, angle and color of single images. */
export const single = { itemName: 't-shirt', angle: 'front', rgb: '#1f3a63' } as const;

// Images per run, so that a run is well above the clock resolution
export const [coldImages, cachedImages] = [3, 12];

export type Wanted = Pick<RenderRequest, 'itemName' | 'angle' | 'rgb' | 'format'> & { readonly edge: number };
/** Print of a texture; `hash` is its cache key. */
export type Printed = Wanted & {
  readonly hash: string;
  readonly adjustment?: string;
  readonly oneOfMany?: boolean;
  readonly placed?: PlacedArtwork;
  readonly resizeMode?: ResizeMode | null;
  /** SHA-256 of packed layers; those that ship if it is missing. */
  readonly layers?: string;
};

/** Renders an image of a material. */
export function draw(
  engine: RenderEngine,
  context: BenchContext,
  material: StoredMaterial,
  { edge, hash, placed, resizeMode, adjustment, ...rest }: Printed,
): Promise<Buffer> {
  const texture = storedTexture(hash, context.decoder, material);
  const prints = ['front', 'back', 'outside'].map((place) => ({
    place,
    texture,
    resizeMode: resizeMode ?? null,
    placed: placed ?? null,
  }));
  return engine.render({ ...rest, width: edge, height: edge, prints, adjustment: adjustment ?? null });
}

/** Returns work that renders images one after another. */
export const workOf = (images: number, run: () => Promise<unknown>): Work => ({
  images,
  run: async () => {
    for (let i = 0; i < images; i++) await run();
  },
});
