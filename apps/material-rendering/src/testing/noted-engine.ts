import { deferred } from '#concurrency';
import { projectPath } from '#config';
import { type DrawRequest, RenderEngine } from '../pipeline/render-engine.js';

/** The real engine, which notes what it draws and can be stopped after it. */
export class NotedEngine extends RenderEngine {
  drawn: DrawRequest[] = [];
  /** Runs after each drawing. */
  after: () => void | Promise<void> = () => undefined;

  constructor() {
    super({ layersFolder: projectPath('apps/material-rendering/layers') });
  }

  override async draw(request: DrawRequest): Promise<Buffer> {
    this.drawn.push(request);
    const bytes = await super.draw(request);
    await this.after();
    return bytes;
  }

  /** Stops after its next drawings until it is released. */
  hold(): () => void {
    const { promise: held, resolve: release } = deferred();
    this.after = () => held;
    return release;
  }
}
