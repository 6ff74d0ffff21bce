import { createHash } from 'node:crypto';
import { type ImageRequest, imageKey, type ImageSource } from '#contracts';
import type { BlobStore } from '#storage';
import {
  type RenderSpec,
  renderSpecOf,
  imagesToPrepare,
} from '../../apps/material-rendering/src/images/image.rules.js';
import { forAll } from './api.js';
import { fillable } from './goods.js';
import type { MaterialRecord } from './load.js';
import type { Notes } from './notes.js';

/** Returns the source data of a material's images; null if it does not exist. */
type SourceOf = (materialId: number) => Promise<ImageSource | null>;

/**
 * Checks that each image rendered ahead is stored and correct, and that deleted materials have no
 * images. Must run before any image is requested, because a request renders a missing image.
 */
export async function checkImages(
  blobs: BlobStore,
  records: Iterable<MaterialRecord>,
  sourceOf: SourceOf,
  notes: Notes,
): Promise<void> {
  const looks = new Looks(notes);
  await forAll(records, async ({ id, deleted }) => {
    if (deleted === true) await checkNoneLeft(blobs, id, notes);
    const source = deleted === false ? await sourceOf(id) : null;
    if (!source) return;
    for (const image of imagesToPrepare(source)) {
      const key = imageKey(image);
      const bytes = await blobs.get(key);
      if (bytes === null) notes.lost(`the image ${key} is not stored`);
      else looks.note(lookOf(key, bytes, image, source));
    }
  });
  looks.compareModes();
}

const lookOf = (key: string, bytes: Buffer, image: ImageRequest, source: ImageSource): Look => {
  const drawing = renderSpecOf(source, image)!;
  const sample = source.products.find(({ itemName }) => itemName === drawing.itemName)!.sample;
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { key, hash, drawing, showsPrint: drawing.angle === sample.angle };
};

async function checkNoneLeft(blobs: BlobStore, id: number, notes: Notes): Promise<void> {
  for (const folder of ['images', 'drawn'])
    for await (const key of blobs.list(`${folder}/${id}`)) {
      notes.wrong(`the image ${key} of a deleted material is left`);
      return;
    }
}

interface Look {
  readonly key: string;
  readonly hash: string;
  readonly drawing: RenderSpec;
  /** True if the angle shows a printed side. */
  readonly showsPrint: boolean;
}

/**
 * Compares images of products that support two resize modes. Images of equal parameters must have
 * equal bytes, and those of both modes different bytes; otherwise one is outdated. This holds for
 * textures of a plain color. An image of a text depends on the pyramid level that it is rendered
 * from, but the products of texts are T-shirts, which support one resize mode only.
 */
class Looks {
  private readonly known = new Map<string, Look>();

  constructor(private readonly notes: Notes) {}

  note(look: Look): void {
    if (!fillable.has(look.drawing.itemName)) return;
    const name = nameOf(look.drawing);
    const other = this.known.get(name) ?? look;
    this.known.set(name, other);
    if (other.hash !== look.hash) this.notes.wrong(`${look.key} and ${other.key} must show the same and do not`);
  }

  compareModes(): void {
    for (const { key, hash, drawing, showsPrint } of this.known.values()) {
      if (!showsPrint || drawing.resizeMode !== 'contain') continue;
      const other = this.known.get(nameOf({ ...drawing, resizeMode: 'cover' }));
      if (other?.hash === hash) this.notes.wrong(`${key} and ${other.key} are laid in otherwise and show the same`);
    }
  }
}

const nameOf = (drawing: RenderSpec): string => JSON.stringify(drawing);
