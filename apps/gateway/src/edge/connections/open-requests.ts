import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { CallPermit } from '../admission/call-permit.js';

/**
 * Maximum number of open requests of a connection (pipelining), more than existing clients send.
 */
const maxPerSocket = 16;

/** A request whose response is not complete. */
export class OpenRequest {
  /** Permit that was acquired before the framework handles the request. */
  permit: CallPermit | undefined;
  /** Time in milliseconds before the framework handled the request. */
  earlyMs = 0;
  private readonly timer: NodeJS.Timeout;
  private controller: AbortController | undefined;
  private readonly listeners: (() => void)[] = [];
  private disconnected = false;

  constructor(socket: Socket, timeoutMs: number) {
    this.timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
  }

  /** Aborted when the client disconnects. Created at the first use. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.disconnected) this.controller.abort();
    return this.controller.signal;
  }

  get isDisconnected(): boolean {
    return this.disconnected;
  }

  /** Adds a listener that is called when the client disconnects. */
  onDisconnect(listener: () => void): void {
    this.listeners.push(listener);
  }

  disconnect(): void {
    this.disconnected = true;
    // The timer would retain the connection in memory
    this.removeTimeout();
    this.controller?.abort();
    for (const listener of this.listeners) listener();
  }

  /** Removes the limit of the time to read the response, for a response without an end. */
  removeTimeout(): void {
    clearTimeout(this.timer);
  }
}

/**
 * Tracks open requests by connection. The response of a pipelined request has no socket yet and
 * gets no 'close' event, so disconnects are detected on the connection.
 */
@Injectable()
export class OpenRequests {
  private readonly ofSockets = new WeakMap<Socket, Set<OpenRequest>>();
  private readonly ofRequests = new WeakMap<IncomingMessage, OpenRequest>();

  /**
   * Registers a request, once. If the client has not read the response within `timeoutMs`, the
   * connection is closed, which frees the memory of the response.
   *
   * @returns null if the connection has too many open requests
   */
  begin(request: IncomingMessage, timeoutMs: number): OpenRequest | null {
    const registered = this.of(request);
    if (registered) return registered;
    const { socket } = request;
    const pending = this.pendingOf(socket);
    if (pending.size >= maxPerSocket) return null;
    const open = new OpenRequest(socket, timeoutMs);
    pending.add(open);
    this.ofRequests.set(request, open);
    return open;
  }

  /** Returns a registered request. */
  of(request: IncomingMessage): OpenRequest | undefined {
    return this.ofRequests.get(request);
  }

  end(request: IncomingMessage): void {
    const open = this.of(request);
    if (!open) return;
    open.removeTimeout();
    this.ofSockets.get(request.socket)?.delete(open);
  }

  /** Removes the limit of the time to read the response, for a response without an end. */
  removeTimeout(request: IncomingMessage): void {
    this.ofRequests.get(request)?.removeTimeout();
  }

  /** Returns whether a connection has an open request. */
  isBusy(socket: Socket): boolean {
    return (this.ofSockets.get(socket)?.size ?? 0) > 0;
  }

  /** Returns whether a request is the last one received on its connection. */
  isLast(request: IncomingMessage): boolean {
    return [...(this.ofSockets.get(request.socket) ?? [])].at(-1) === this.ofRequests.get(request);
  }

  private pendingOf(socket: Socket): Set<OpenRequest> {
    let pending = this.ofSockets.get(socket);
    if (!pending) {
      const all = new Set<OpenRequest>();
      this.ofSockets.set(socket, (pending = all));
      socket.once('close', () => {
        for (const open of all) open.disconnect();
      });
    }
    return pending;
  }
}
