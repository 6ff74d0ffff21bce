import type { IncomingMessage } from 'node:http';

/** An answer of the internal port. */
export interface InternalPage {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a part of the process shows on the internal port, below a path of its own. */
export interface InternalArea {
  /** `/queues`: this and everything below it. */
  readonly path: string;
  /** Beside GET and HEAD. None has a body. */
  readonly methods: readonly string[];
  /** An error is answered by 500; what takes long is not waited for. */
  readonly answer: (request: IncomingMessage) => InternalPage | Promise<InternalPage>;
}

/** The areas of a process: there are none but those that were declared. */
export class InternalAreas {
  private readonly areas = new Set<InternalArea>();

  /** @returns what takes it away again */
  declare(area: InternalArea): () => void {
    this.areas.add(area);
    return () => this.areas.delete(area);
  }

  /** @param path without a query */
  at(path: string): InternalArea | undefined {
    return [...this.areas].find((area) => path === area.path || path.startsWith(`${area.path}/`));
  }
}

/** Of this process. */
export const internalAreas = new InternalAreas();
