import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Cache } from '#cache';
import { problems, type ImageRequest, type ImageSource } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients, runInCall } from '#request-queue';

/** Long enough for a page that loads many images of one product at the same time. */
const ttlMs = 2_000;
/** Sufficient for 1,000 sources with one product each. */
const maxBytes = 2 * 1024 ** 2;
const productBytes = 1_000;
const requestTimeoutMs = 5_000;

/** Cache of the materials, from the catalog, whose images are requested. */
@Injectable()
export class ImageSourceCache {
  private readonly sources = new Cache<ImageSource | null>({
    name: 'image-sources',
    maxBytes,
    bytesOf: (source) => productBytes * (1 + (source?.products.length ?? 0)),
    ttlMs: () => ttlMs,
  });

  constructor(private readonly clients: QueueClients) {}

  /**
   * Returns the material of an image with the requested item; null if the material is missing. A
   * cached material is used for up to 2 seconds, if its item has at least the requested revision,
   * and is published or a draft is requested. Otherwise the material is loaded again, because the
   * client may have seen a newer state.
   */
  sourceOf(request: ImageRequest): Promise<ImageSource | null> {
    const { filePath, itemName, materialId } = request;
    return this.sources.loadValid(
      `${filePath} ${itemName}`,
      () => this.source(materialId, itemName),
      (source) => isNewEnough(source, request),
    );
  }

  /**
   * Returns the current state of a material; null if it is missing.
   *
   * @param itemName limits the result to one item
   */
  async source(materialId: number, itemName?: string): Promise<ImageSource | null> {
    // A separate call without the caller's deadline, because other callers share the reply, and
    // stored images are checked after the caller's timeout
    const call = { requestId: randomUUID(), timeoutMs: requestTimeoutMs };
    try {
      return await runInCall(call, () =>
        this.clients.of('catalog').call('materials.image-source', { materialId, itemName }),
      );
    } catch (error) {
      if (error instanceof DomainError && error.kind.code === problems['material.not-found'].code) return null;
      throw error;
    }
  }
}

function isNewEnough(source: ImageSource | null, { itemName, revision, draft }: ImageRequest): boolean {
  const product = source?.products.find((it) => it.itemName === itemName);
  return product !== undefined && product.revision >= revision && (product.published || draft);
}
