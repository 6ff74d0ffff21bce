import { deferred } from '#concurrency';
import { RenderEngine, type RenderRequest } from '#rendering/render-engine.js';
import { engineFiles } from '#rendering/testing/test-card.js';

/** Real render engine that records its requests and can be blocked after each rendering. */
export class RecordingEngine extends RenderEngine {
  requests: RenderRequest[] = [];
  /** Runs after each rendering. */
  after: () => void | Promise<void> = () => undefined;

  constructor() {
    super(engineFiles);
  }

  override async render(request: RenderRequest): Promise<Buffer> {
    this.requests.push(request);
    const bytes = await super.render(request);
    await this.after();
    return bytes;
  }

  /** Blocks the next renderings at their end. Returns a function that releases them. */
  block(): () => void {
    const { promise: released, resolve: release } = deferred();
    this.after = () => released;
    return release;
  }
}
