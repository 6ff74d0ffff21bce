import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** More requests in a row without waiting for an answer than any client of the field sends. */
const mostPerSocket = 16;

/**
 * The requests that each connection has open. A pipelined request behind others has no socket of its own yet, so its
 * reply never hears that the client has gone: the connection is asked instead.
 */
@Injectable()
export class OpenRequests {
  private readonly open = new WeakMap<Socket, Set<AbortController>>();
  private readonly controllers = new WeakMap<FastifyRequest, AbortController>();
  private readonly limits = new WeakMap<FastifyRequest, NodeJS.Timeout>();

  /**
   * Counts the request in. Who has not taken its answer within `limitMs` never will: the connection ends, and with it
   * the memory that the answer takes.
   *
   * @returns aborted when the client goes away; null when the connection has too many open
   */
  begin(request: FastifyRequest, limitMs: number): AbortSignal | null {
    const waiting = this.of(request.raw.socket);
    if (waiting.size >= mostPerSocket) return null;
    const gone = new AbortController();
    waiting.add(gone);
    this.controllers.set(request, gone);
    const { socket } = request.raw;
    const limit = setTimeout(() => socket.destroy(), limitMs).unref();
    this.limits.set(request, limit);
    // Nothing else ends a request whose client has gone, and the timer would hold its connection in memory
    gone.signal.addEventListener('abort', () => clearTimeout(limit), { once: true });
    return gone.signal;
  }

  end(request: FastifyRequest): void {
    clearTimeout(this.limits.get(request));
    const gone = this.controllers.get(request);
    if (gone) this.open.get(request.raw.socket)?.delete(gone);
  }

  /** Whether a request of the connection has not been answered to its end. */
  isBusy(socket: Socket): boolean {
    return (this.open.get(socket)?.size ?? 0) > 0;
  }

  /** Whether no request came behind this one on its connection. */
  isLast(request: FastifyRequest): boolean {
    return [...(this.open.get(request.raw.socket) ?? [])].at(-1) === this.controllers.get(request);
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
