import type { IncomingMessage } from 'node:http';

/** Response of the internal port. */
export interface InternalResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Routes of a part of the process on the internal port, below a path of their own. */
export interface InternalRoute {
  /** Path prefix, such as `/queues`: matches the path itself and everything below it. */
  readonly path: string;
  /** Methods besides GET and HEAD. Requests with a body are rejected. */
  readonly methods: readonly string[];
  /** Handles a request. The response is 500 after an error, and 504 after a timeout. */
  readonly handle: (request: IncomingMessage) => InternalResponse | Promise<InternalResponse>;
}

/** Registry of the routes of a process. */
export class InternalRoutes {
  private readonly routes = new Set<InternalRoute>();

  /** @returns a function that removes the route */
  register(route: InternalRoute): () => void {
    this.routes.add(route);
    return () => this.routes.delete(route);
  }

  /** @param path without a query */
  match(path: string): InternalRoute | undefined {
    return [...this.routes].find((route) => path === route.path || path.startsWith(`${route.path}/`));
  }
}

/** Routes of this process. */
export const internalRoutes = new InternalRoutes();
