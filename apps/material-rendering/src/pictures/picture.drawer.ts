import { SpanKind, traced } from '#observability';
import { runShared } from '#request-queue';
import { Gate, type GateOptions, type Lane, Turn } from '../gate.js';
import type { PictureEngine } from '../pipeline/picture-engine.js';
import { renderingMetrics } from '../rendering-metrics.js';
import type { StoredTextures } from '../textures/stored-textures.js';
import type { DrawingClaims } from './drawing-claims.js';
import { type Drawing, weightOf } from './picture.js';
import type { StoredImages } from './stored-images.js';

/**
 * Two to four drawings at once use two cores best, see the pipeline; large ones are drawn alone, so that memory is bounded.
 * Of the 64 requests that a replica takes at once, some places are left for pictures that come in.
 */
export const drawnAtOnce: GateOptions = { of: 'picture', places: 4, waiting: 40, waitingAlone: 8, patienceMs: 8_000 };

interface Running {
  readonly turn: Turn;
  readonly drawn: Promise<void>;
}

/** Draws pictures into the blob store, each one once at a time: in this process, and over all replicas. */
export class PictureDrawer {
  private readonly gate = new Gate(drawnAtOnce);
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly engine: PictureEngine,
    private readonly textures: StoredTextures,
    private readonly images: Pick<StoredImages, 'has' | 'put'>,
    private readonly claims: DrawingClaims,
  ) {}

  /**
   * Draws a picture that is missing. What shows the same is drawn once, however many ask for it; another state of the
   * material is another drawing. What background work needs is not refused, also when somebody asked for it before.
   *
   * @param lane `urgent` when a client waits for it, `patient` for background work
   * @throws DomainError `service.overloaded` when too many urgent drawings wait
   */
  draw(key: string, drawing: Drawing, lane: Lane): Promise<void> {
    const id = idOf(key, drawing);
    const { turn, drawn } = this.running.get(id) ?? this.begin(id, key, drawing, new Turn(lane, weightOf(drawing)));
    turn.join(lane);
    return drawn;
  }

  private begin(id: string, key: string, drawing: Drawing, turn: Turn): Running {
    const drawn = runShared(() => this.drawHereOrThere(id, key, drawing, turn)).finally(() => this.running.delete(id));
    const running = { turn, drawn };
    this.running.set(id, running);
    return running;
  }

  /** Who waits for another process holds no place: other pictures are drawn meanwhile. */
  private async drawHereOrThere(id: string, key: string, drawing: Drawing, turn: Turn): Promise<void> {
    const work = (): Promise<boolean> => this.claims.hold(id, () => this.drawMissing(key, drawing, turn));
    const isThere = (): Promise<boolean> => this.images.has(key);
    while (!(await this.gate.run(work, turn))) if (await this.claims.made(id, isThere)) return;
  }

  private async drawMissing(key: string, { prints, resizeMode, ...drawing }: Drawing, turn: Turn): Promise<void> {
    // Another process may have drawn it while this one waited for its place
    if (await this.images.has(key)) return;
    const since = performance.now();
    const { itemName, angle, width, height, format } = drawing;
    const attributes = { item: itemName, angle, width, height, format };
    await traced('draw picture', { attributes }, async () => {
      const bytes = await this.engine.draw({
        ...drawing,
        // Background work draws all pictures of a material
        oneOfMany: turn.isNeeded,
        prints: prints.map(({ place, textureHash }) => ({ place, texture: this.textures.of(textureHash), resizeMode })),
      });
      await traced('store picture', { kind: SpanKind.CLIENT }, () => this.images.put(key, bytes));
    });
    renderingMetrics().pictureSeconds.observe({ format }, (performance.now() - since) / 1_000);
  }
}

/** What one drawing is called over all replicas. */
export const idOf = (key: string, drawing: Drawing): string => `${key} ${JSON.stringify(drawing)}`;
