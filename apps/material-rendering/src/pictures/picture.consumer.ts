import { Inject, Injectable } from '@nestjs/common';
import type { PictureSource } from '#contracts';
import { appendEvent, type Delivery } from '#events';
import { picturesToPrepare } from './picture.js';
import { PictureQueries } from './picture.queries.js';
import { PictureService } from './picture.service.js';

/** Pictures of one material that are drawn side by side. */
const sideBySide = 2;

/** Draws the pictures of new materials before anybody asks, and removes those of deleted ones. */
@Injectable()
export class PictureConsumer {
  constructor(
    @Inject(PictureQueries) private readonly queries: PictureQueries,
    @Inject(PictureService) private readonly pictures: PictureService,
  ) {}

  /** Pictures that are stored already are skipped, so that an attempt goes on where the one before was stopped. */
  async materialCreated(delivery: Delivery<'material.created'>): Promise<void> {
    const { materialId, userId, title } = delivery.event.payload;
    const source = await this.queries.source(materialId);
    const count = source === null ? 0 : await this.prepareAll(source, delivery);
    // Asked again at the end: the removal may have run before the last picture was stored
    if (source === null || (await this.queries.source(materialId)) === null) {
      await this.pictures.remove(materialId);
      return;
    }
    // Nothing was drawn, so there is nothing to tell
    if (count === 0) return;
    await delivery.once((tx) => appendEvent(tx, 'material.rendered', { materialId, userId, title, pictures: count }));
  }

  /** The textures stay: they are stored by their content and other materials may show the same picture. */
  async materialDeleted(delivery: Delivery<'material.deleted'>): Promise<void> {
    await this.pictures.remove(delivery.event.payload.materialId);
  }

  /** @returns how many pictures there are now */
  private async prepareAll(source: PictureSource, delivery: Delivery<'material.created'>): Promise<number> {
    const wanted = picturesToPrepare(source);
    const rest = [...wanted];
    const drawRest = async (): Promise<void> => {
      for (let picture = rest.shift(); picture !== undefined; picture = rest.shift()) {
        delivery.signal.throwIfAborted();
        await this.pictures.prepare(picture, source);
        await delivery.progress({ done: wanted.length - rest.length, of: wanted.length });
      }
    };
    const stopOthers = (error: unknown): never => {
      rest.length = 0;
      throw error;
    };
    const drawers = Array.from({ length: sideBySide }, () => drawRest().catch(stopOthers));
    // Waits for all of them also when one fails: nothing may still be drawn when the next attempt begins
    const failed = (await Promise.allSettled(drawers)).find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return wanted.length;
  }
}
