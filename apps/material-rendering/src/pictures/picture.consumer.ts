import { Inject, Injectable } from '@nestjs/common';
import type { PictureSource } from '#contracts';
import { appendEvent, type Delivery } from '#events';
import { DrawnFrom } from './drawn-from.js';
import { changedItems, picturesToPrepare } from './picture.js';
import { PictureQueries } from './picture.queries.js';
import { PictureService } from './picture.service.js';

/** Pictures of one material that are drawn side by side. */
const sideBySide = 2;

type Redrawing = Delivery<'material.created' | 'material.updated'>;

/** Draws the pictures of new and changed materials before anybody asks, and removes those that are no longer right. */
@Injectable()
export class PictureConsumer {
  constructor(
    @Inject(PictureQueries) private readonly queries: PictureQueries,
    @Inject(PictureService) private readonly pictures: PictureService,
    @Inject(DrawnFrom) private readonly drawnFrom: DrawnFrom,
  ) {}

  async materialCreated(delivery: Delivery<'material.created'>): Promise<void> {
    const { materialId, userId, title } = delivery.event.payload;
    const count = await this.drawAll(delivery, []);
    // Nothing was drawn, so there is nothing to tell
    if (count > 0) {
      await delivery.once((tx) => appendEvent(tx, 'material.rendered', { materialId, userId, title, pictures: count }));
    }
    await this.drawnFrom.forget(delivery.event);
  }

  /** Nobody is told: `material.rendered` is for what is new. */
  async materialUpdated(delivery: Delivery<'material.updated'>): Promise<void> {
    await this.drawAll(delivery, delivery.event.payload.stale);
    await this.drawnFrom.forget(delivery.event);
  }

  /** The textures stay: they are stored by their content and other materials may show the same picture. */
  async materialDeleted(delivery: Delivery<'material.deleted'>): Promise<void> {
    await this.pictures.remove(delivery.event.payload.materialId);
  }

  /**
   * Removes the pictures that are not right and draws what is missing. What is stored is skipped, so that an attempt goes
   * on where the one before was stopped. The material may change or vanish while its pictures are drawn, and others may
   * have removed the old ones before the last of them was stored: so it is looked at again at the end.
   *
   * @returns how many pictures there are now; 0 when the material may not be shown
   */
  private async drawAll(delivery: Redrawing, stale: 'all' | readonly string[]): Promise<number> {
    const { event } = delivery;
    const { materialId } = event.payload;
    let before = await this.drawnFrom.read(event);
    let source = await this.queries.source(materialId);
    while (source !== null) {
      await this.pictures.remove(materialId, before === null ? stale : changedItems(before, source));
      await this.drawnFrom.write(event, source);
      const count = await this.prepareAll(source, delivery);
      before = source;
      source = await this.queries.source(materialId);
      if (source !== null && changedItems(before, source).length === 0) return count;
    }
    await this.pictures.remove(materialId);
    return 0;
  }

  /**
   * What is stored already counts as progress, but is not said one by one: after an attempt that was stopped, progress
   * goes on from where it was.
   *
   * @returns how many pictures there are now
   */
  private async prepareAll(source: PictureSource, delivery: Redrawing): Promise<number> {
    const wanted = picturesToPrepare(source);
    const rest = [...wanted];
    let done = 0;
    const sayDone = (): Promise<void> => delivery.progress({ done, of: wanted.length });
    const drawRest = async (): Promise<void> => {
      for (let picture = rest.shift(); picture !== undefined; picture = rest.shift()) {
        delivery.signal.throwIfAborted();
        const isNew = await this.pictures.prepare(picture, source);
        done += 1;
        if (isNew) await sayDone();
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
    await sayDone();
    return wanted.length;
  }
}
