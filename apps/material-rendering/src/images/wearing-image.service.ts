import { Injectable } from '@nestjs/common';
import { withTimeout } from '#concurrency';
import { type PayloadOf, type Services, wearingImageKey, wearingImageSide } from '#contracts';
import { currentCall, QueueClients } from '#request-queue';
import { RenderEngine } from '#rendering/render-engine.js';
import { overloaded } from '../overload.errors.js';
import { imageNotFound } from './image.errors.js';
import { ImageRenderer } from './image.renderer.js';
import { renderTimeoutMs } from './image.service.js';
import { ImageStore } from './image.store.js';

/** Renders images of worn items, which have no print and belong to no material. */
@Injectable()
export class WearingImageService {
  constructor(
    private readonly clients: QueueClients,
    private readonly images: ImageStore,
    private readonly renderer: ImageRenderer,
    private readonly engine: RenderEngine,
  ) {}

  /**
   * Renders the image of a worn item if it is not stored, in the representative color. Rendering
   * continues after the timeout, so that a retry of the client finds the image.
   *
   * @throws DomainError `picture.not-found` for an item without such an image,
   *   `service.overloaded`, and the errors of the catalog and the blob store
   */
  async render({
    itemName,
    format,
    version: wanted,
  }: PayloadOf<Services['material-rendering'], 'wearing-images.render'>): Promise<{ key: string; version: number }> {
    const worn = await this.clients.of('catalog').call('items.wearing-image', { itemName, version: wanted });
    if (worn === null) throw imageNotFound('the item has no image of the worn item');
    const { angle, rgb, layers, version } = worn;
    const drawn = layers ?? this.engine.layersHash(itemName);
    if (drawn === undefined) throw imageNotFound('the item has no layers');
    const key = wearingImageKey({ ...worn, layers: drawn, itemName, format });
    if (await this.images.has(key)) return { key, version };
    const size = { width: wearingImageSide, height: wearingImageSide };
    const blank = { prints: [], resizeMode: 'contain', adjustment: null } as const;
    const spec = { itemName, angle, rgb, ...size, ...blank, format, ...(layers !== null && { layers }) };
    await withTimeout(this.renderer.render(key, spec, 'interactive'), renderTimeoutMs(currentCall()), () => {
      throw overloaded('image');
    });
    return { key, version };
  }
}
