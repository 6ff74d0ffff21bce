import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** More requests in a row without waiting for an answer than any client of the field sends. */
const mostPerSocket = 16;

/**
 * The requests that each connection has open. A pipelined request behind others has no socket of its own yet, so its
 * reply never hears that the client has gone: the connection is asked instead.
 */
export class OpenRequests {
  private readonly open = new WeakMap<Socket, Set<AbortController>>();
  private readonly controllers = new WeakMap<FastifyRequest, AbortController>();

  /** Counts the request in. @returns aborted when the client goes away; null when the connection has too many open */
  begin(request: FastifyRequest): AbortSignal | null {
    const waiting = this.of(request.raw.socket);
    if (waiting.size >= mostPerSocket) return null;
    const gone = new AbortController();
    waiting.add(gone);
    this.controllers.set(request, gone);
    return gone.signal;
  }

  end(request: FastifyRequest): void {
    const gone = this.controllers.get(request);
    if (gone) this.open.get(request.raw.socket)?.delete(gone);
  }

  private of(socket: Socket): Set<AbortController> {
    let waiting = this.open.get(socket);
    if (!waiting) {
      const all = new Set<AbortController>();
      this.open.set(socket, (waiting = all));
      socket.once('close', () => {
        for (const gone of all) gone.abort();
      });
    }
    return waiting;
  }
}
