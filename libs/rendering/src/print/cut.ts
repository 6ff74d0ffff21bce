import { openTexture } from '#images';

/** Part of an image in pixels, and the size to which it is scaled. */
export interface Cut {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly scaledWidth: number;
  readonly scaledHeight: number;
}

/**
 * Returns the pixels of a part of an upright image: RGBA, not multiplied by alpha. Runs in a child
 * process, so it imports no library of the project.
 *
 * @param bytes image of a client, or a rendered text
 */
export function decodeCut(bytes: Buffer, { left, top, width, height, ...scaled }: Cut): Promise<Buffer> {
  return (
    openTexture(bytes)
      .extract({ left, top, width, height })
      // The size of an image that the decoder has reduced is rounded up, which would shift it
      .resize(scaled.scaledWidth, scaled.scaledHeight, { fit: 'fill', fastShrinkOnLoad: false })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer()
  );
}
