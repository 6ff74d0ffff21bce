import { createHash } from 'node:crypto';
import { type Layer } from '#blanks';

/** Returns the SHA-256 of all fields, coordinates and images of layers. */
export function layersHash(layers: Iterable<Layer>): string {
  const hash = createHash('sha256');
  for (const { nodes, images, ...facts } of layers) {
    const parts = [Buffer.from(JSON.stringify(facts)), Buffer.from(nodes.buffer, nodes.byteOffset, nodes.byteLength)];
    const planes = [images.shade, images.mask, images.gloss, ...(images.ink ? [images.ink] : [])];
    for (const part of [...parts, ...planes]) hash.update(`${part.length}\n`).update(part);
  }
  return hash.digest('hex');
}
