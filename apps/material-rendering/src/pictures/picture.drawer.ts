import type { BlobStore } from '#storage';
import { Gate, overloaded, Turn, type Lane } from '../gate.js';
import type { PictureEngine } from '../pipeline/picture-engine.js';
import type { StoredTextures } from '../textures/stored-textures.js';
import type { DrawingClaims } from './drawing-claims.js';
import type { Drawing } from './picture.js';

/** Two to four drawings at once use two cores best, see the pipeline. */
const drawnAtOnce = 4;
/** Of the 64 requests that a replica takes at once, some places are left for pictures that come in. */
const waiting = 40;
const patienceMs = 8_000;

interface Running {
  readonly turn: Turn;
  readonly drawn: Promise<void>;
}

/** Draws pictures into the blob store, each one once at a time: in this process, and over all replicas. */
export class PictureDrawer {
  private readonly gate = new Gate({ of: 'picture', places: drawnAtOnce, waiting, patienceMs });
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly engine: PictureEngine,
    private readonly textures: StoredTextures,
    private readonly blobs: BlobStore,
    private readonly claims: DrawingClaims,
  ) {}

  /**
   * Draws a picture that is missing. What shows the same is drawn once, however many ask for it; another state of the
   * material is another drawing.
   *
   * @param until when the caller stops waiting, in milliseconds by `performance.now()`; never, for background work
   * @throws DomainError `service.overloaded` when it is not there by then
   */
  draw(key: string, drawing: Drawing, until = Infinity): Promise<void> {
    const id = `${key} ${JSON.stringify(drawing)}`;
    const lane = until === Infinity ? 'patient' : 'urgent';
    const { turn, drawn } = this.running.get(id) ?? this.begin(id, key, drawing, new Turn(lane));
    if (lane === 'patient') return drawn;
    turn.hurry();
    return inTime(drawn, until);
  }

  private begin(id: string, key: string, drawing: Drawing, turn: Turn): Running {
    const drawn = this.drawHereOrThere(id, key, drawing, turn).finally(() => this.running.delete(id));
    const running = { turn, drawn };
    this.running.set(id, running);
    return running;
  }

  /** Who waits for another process holds no place: other pictures are drawn meanwhile. */
  private async drawHereOrThere(id: string, key: string, drawing: Drawing, turn: Turn): Promise<void> {
    const work = (): Promise<boolean> => this.claims.hold(id, () => this.drawMissing(key, drawing, turn.lane));
    while (!(await this.gate.run(work, turn))) {
      await this.claims.released(id);
      if (await this.blobs.has(key)) return;
    }
  }

  private async drawMissing(key: string, { prints, resizeMode, ...drawing }: Drawing, lane: Lane): Promise<void> {
    // Another process may have drawn it while this one waited for its place
    if (await this.blobs.has(key)) return;
    const bytes = await this.engine.draw({
      ...drawing,
      // Background work draws all pictures of a material
      oneOfMany: lane === 'patient',
      prints: prints.map(({ place, textureHash }) => ({ place, texture: this.textures.of(textureHash), resizeMode })),
    });
    await this.blobs.put(key, bytes);
  }
}

/** The work goes on when the time is over: whoever comes again finds its result. */
async function inTime(work: Promise<void>, until: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(overloaded('picture')), until - performance.now());
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
