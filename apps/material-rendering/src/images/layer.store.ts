import { createHash } from 'node:crypto';
import { type Layer, layersBytes, packedLayersKey, readPackedLayers } from '#blanks';
import { Cache } from '#cache';
import { type BlobStore, storeUnavailable } from '#storage';

/** Layers of an item by angle. */
type Layers = ReadonlyMap<string, Layer>;

/**
 * Sufficient for 150 items like those that ship, which have 3 MB together, and above the limit of
 * `checkBundle` for one item.
 */
const maxBytes = 24 * 1024 ** 2;

/**
 * Layers in the blob store, those of the items of an operator. Layers that were read are cached by
 * their hash, and concurrent callers share a read.
 */
export class LayerStore {
  private readonly cache = new Cache<Layers>({
    name: 'rendering-layers',
    maxBytes,
    bytesOf: (layers) => layersBytes(layers.values()),
  });

  constructor(private readonly blobs: BlobStore) {}

  /**
   * Returns the layers of an item by angle.
   *
   * @param hash SHA-256 of the packed layers
   * @throws DomainError `service.unavailable` for a missing blob, which a restore may add
   * @throws Error for a damaged blob
   */
  layersOf(hash: string, itemName: string): Promise<Layers> {
    return this.cache.load(`${hash}/${itemName}`, () => this.read(hash, itemName));
  }

  private async read(hash: string, itemName: string): Promise<Layers> {
    const bytes = await this.blobs.get(packedLayersKey(hash));
    if (bytes === null) throw storeUnavailable(`layers ${hash} of ${itemName} are missing in the blob store`);
    const actual = createHash('sha256').update(bytes).digest('hex');
    if (actual !== hash) throw new Error(`layers ${hash} of ${itemName} are damaged in the blob store`);
    try {
      return readPackedLayers(bytes, itemName);
    } catch (cause) {
      // Not catalog.invalid, because the client has sent no layers
      throw new Error(`layers ${hash} of ${itemName} are invalid`, { cause });
    }
  }
}
