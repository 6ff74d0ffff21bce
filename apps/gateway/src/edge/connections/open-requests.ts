import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * Maximum number of open requests of a connection (pipelining), more than existing clients send.
 */
const maxPerSocket = 16;

/**
 * Tracks open requests by connection. The response of a pipelined request has no socket yet and
 * gets no 'close' event, so disconnects are detected on the connection.
 */
@Injectable()
export class OpenRequests {
  private readonly open = new WeakMap<Socket, Set<AbortController>>();
  private readonly controllers = new WeakMap<FastifyRequest, AbortController>();
  private readonly timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();

  /**
   * Registers a request. If the client has not read the response within `timeoutMs`, the connection
   * is closed, which frees the memory of the response.
   *
   * @returns signal aborted when the client disconnects; null if the connection has too many open
   *   requests
   */
  begin(request: FastifyRequest, timeoutMs: number): AbortSignal | null {
    const pending = this.pendingOf(request.raw.socket);
    if (pending.size >= maxPerSocket) return null;
    const disconnected = new AbortController();
    pending.add(disconnected);
    this.controllers.set(request, disconnected);
    const { socket } = request.raw;
    const timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
    this.timers.set(request, timer);
    // Clears the timer after a disconnect, because it would retain the connection in memory
    disconnected.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    return disconnected.signal;
  }

  end(request: FastifyRequest): void {
    clearTimeout(this.timers.get(request));
    const disconnected = this.controllers.get(request);
    if (disconnected) this.open.get(request.raw.socket)?.delete(disconnected);
  }

  /** Removes the limit of the time to read the response, for a response without an end. */
  removeTimeout(request: FastifyRequest): void {
    clearTimeout(this.timers.get(request));
  }

  /** Returns whether a connection has an open request. */
  isBusy(socket: Socket): boolean {
    return (this.open.get(socket)?.size ?? 0) > 0;
  }

  /** Returns whether a request is the last one received on its connection. */
  isLast(request: FastifyRequest): boolean {
    return [...(this.open.get(request.raw.socket) ?? [])].at(-1) === this.controllers.get(request);
  }

  private pendingOf(socket: Socket): Set<AbortController> {
    let pending = this.open.get(socket);
    if (!pending) {
      const all = new Set<AbortController>();
      this.open.set(socket, (pending = all));
      socket.once('close', () => {
        for (const disconnected of all) disconnected.abort();
      });
    }
    return pending;
  }
}
