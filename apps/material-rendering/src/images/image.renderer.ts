import { Injectable } from '@nestjs/common';
import { FairQueue, type FairQueueOptions, type Priority, type Ticket } from '#concurrency';
import { SpanKind, traced } from '#observability';
import { runShared } from '#request-queue';
import { callerTicket } from '../caller-ticket.limiter.js';
import { overloaded } from '../overload.errors.js';
import { RenderEngine } from '../pipeline/render-engine.js';
import { renderingMetrics } from '../rendering.metrics.js';
import { PrintTextureStore } from '../textures/print-texture.store.js';
import { RenderLock } from './render.lock.js';
import { type Drawing, weightOf } from './image.rules.js';
import { ImageStore } from './image.store.js';

/**
 * Two to four drawings at once use two cores best, see the pipeline; large ones are drawn alone, so that memory is bounded.
 * Of the 64 requests that a replica takes at once, some places are left for images that come in.
 */
export const drawingLimits: FairQueueOptions = {
  permits: 4,
  maxWaiting: 40,
  maxWaitingExclusive: 8,
  timeoutMs: 8_000,
  overloaded: () => overloaded('image'),
};

interface Running {
  readonly ticket: Ticket;
  readonly drawn: Promise<void>;
}

/** Draws images into the blob store, each one once at a time: in this process, and over all replicas. */
@Injectable()
export class ImageRenderer {
  private readonly queue = new FairQueue(drawingLimits);
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly engine: RenderEngine,
    private readonly textures: PrintTextureStore,
    private readonly images: ImageStore,
    private readonly claims: RenderLock,
  ) {}

  /**
   * Draws an image that is missing. What shows the same is drawn once, however many ask for it; another state of the
   * material is another drawing. What background work needs is not refused, also when somebody asked for it before.
   *
   * @throws DomainError `service.overloaded` when too many interactive drawings wait
   */
  draw(key: string, drawing: Drawing, priority: Priority): Promise<void> {
    const id = idOf(key, drawing);
    const { ticket, drawn } =
      this.running.get(id) ?? this.begin(id, key, drawing, callerTicket(priority, weightOf(drawing)));
    ticket.join(priority);
    return drawn;
  }

  private begin(id: string, key: string, drawing: Drawing, ticket: Ticket): Running {
    const drawn = runShared(() => this.drawHereOrThere(id, key, drawing, ticket)).finally(() =>
      this.running.delete(id),
    );
    const running = { ticket, drawn };
    this.running.set(id, running);
    return running;
  }

  /** A drawing that waits for another process has no permit, so that other images are drawn meanwhile. */
  private async drawHereOrThere(id: string, key: string, drawing: Drawing, ticket: Ticket): Promise<void> {
    const work = (): Promise<boolean> => this.claims.hold(id, () => this.drawMissing(key, drawing, ticket));
    const isThere = (): Promise<boolean> => this.images.has(key);
    while (!(await this.queue.run(work, ticket))) if (await this.claims.made(id, isThere)) return;
  }

  private async drawMissing(key: string, { prints, resizeMode, ...drawing }: Drawing, ticket: Ticket): Promise<void> {
    // Another process may have drawn it while this one waited for its permit
    if (await this.images.has(key)) return;
    const since = performance.now();
    const { itemName, angle, width, height, format } = drawing;
    const attributes = { item: itemName, angle, width, height, format };
    await traced('draw image', { attributes }, async () => {
      const bytes = await this.engine.draw({
        ...drawing,
        // Background work draws all images of a material
        oneOfMany: ticket.isBackground,
        prints: prints.map(({ place, textureHash }) => ({ place, texture: this.textures.of(textureHash), resizeMode })),
      });
      await traced('store image', { kind: SpanKind.CLIENT }, () => this.images.put(key, bytes));
    });
    renderingMetrics().imageSeconds.observe({ format }, (performance.now() - since) / 1_000);
  }
}

/** What one drawing is called over all replicas. */
export const idOf = (key: string, drawing: Drawing): string => `${key} ${JSON.stringify(drawing)}`;
