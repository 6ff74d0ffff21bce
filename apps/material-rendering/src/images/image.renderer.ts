import { Injectable } from '@nestjs/common';
import { FairQueue, type FairQueueOptions, type Priority, type Ticket } from '#concurrency';
import { SpanKind, traced } from '#observability';
import { runShared } from '#request-queue';
import { callerTicket } from '../caller-ticket.js';
import { overloaded } from '../overload.errors.js';
import { RenderEngine } from '#rendering/render-engine.js';
import { renderingMetrics } from '#rendering/rendering.metrics.js';
import { PrintTextureStore } from '../textures/print-texture.store.js';
import { RenderLock } from './render.lock.js';
import { type RenderSpec, weightOf } from './image.rules.js';
import { ImageStore } from './image.store.js';

/**
 * Limits of concurrent rendering. Two to four concurrent renderings use two cores best
 * (libs/images). Large images are rendered alone, so that memory is bounded. A replica
 * handles at most REQUEST_SLOTS requests concurrently, 64 by default; at most 52 of them are
 * renderings, so that 12 remain for uploads.
 */
export const renderQueueOptions: FairQueueOptions = {
  permits: 4,
  maxWaiting: 40,
  maxWaitingExclusive: 8,
  timeoutMs: 8_000,
  overloaded: () => overloaded('image'),
};

interface ActiveRendering {
  readonly ticket: Ticket;
  readonly done: Promise<void>;
}

/**
 * Renders images into the blob store. Only one rendering of the same image runs at a time in this
 * process, and across all replicas while Redis is available.
 */
@Injectable()
export class ImageRenderer {
  private readonly queue = new FairQueue(renderQueueOptions);
  private readonly active = new Map<string, ActiveRendering>();

  constructor(
    private readonly engine: RenderEngine,
    private readonly textures: PrintTextureStore,
    private readonly images: ImageStore,
    private readonly lock: RenderLock,
  ) {}

  /**
   * Renders a missing image. Concurrent requests for the same image and the same state of the
   * material share one rendering. A rendering that background work needs is not rejected, even if
   * an interactive request started it.
   *
   * @throws DomainError `service.overloaded` when too many interactive renderings wait, or this one
   *   has waited for 8 s
   */
  render(key: string, spec: RenderSpec, priority: Priority): Promise<void> {
    const id = renderIdOf(key, spec);
    const { ticket, done } = this.active.get(id) ?? this.start(id, key, spec, callerTicket(priority, weightOf(spec)));
    ticket.join(priority);
    return done;
  }

  private start(id: string, key: string, spec: RenderSpec, ticket: Ticket): ActiveRendering {
    const done = runShared(() => this.renderWithLock(id, key, spec, ticket)).finally(() => this.active.delete(id));
    const rendering = { ticket, done };
    this.active.set(id, rendering);
    return rendering;
  }

  /**
   * Waits for the lock without a permit, so that other images are rendered while another process
   * renders this one.
   */
  private async renderWithLock(id: string, key: string, spec: RenderSpec, ticket: Ticket): Promise<void> {
    const render = (): Promise<boolean> => this.lock.tryRun(id, () => this.renderIfMissing(key, spec, ticket));
    const isStored = (): Promise<boolean> => this.images.has(key);
    while (!(await this.queue.run(render, ticket))) if (await this.lock.waitForResult(id, isStored)) return;
  }

  private async renderIfMissing(
    key: string,
    { prints, resizeMode, blob, oneOfMany = false, ...spec }: RenderSpec,
    ticket: Ticket,
  ): Promise<void> {
    // Another process may have rendered the image while this rendering waited for its permit
    if (await this.images.has(key)) return;
    const startedAt = performance.now();
    const { itemName, angle, width, height, format } = spec;
    const attributes = { item: itemName, angle, width, height, format };
    await traced('render image', { attributes }, async () => {
      const bytes = await this.engine.render({
        ...spec,
        // Background work usually renders several images of a material (`imagesToPrepare`)
        oneOfMany: oneOfMany || ticket.isBackground,
        prints: prints.map(({ place, textureHash, placed = null, proof = false }) => ({
          place,
          texture: this.textures.of(textureHash, blob),
          resizeMode,
          placed,
          proof,
        })),
      });
      await traced('store image', { kind: SpanKind.CLIENT }, () => this.images.put(key, bytes));
    });
    renderingMetrics().imageSeconds.observe({ format }, (performance.now() - startedAt) / 1_000);
  }
}

/** Returns the identity of a rendering across all replicas. */
export const renderIdOf = (key: string, spec: RenderSpec): string => `${key} ${JSON.stringify(spec)}`;
