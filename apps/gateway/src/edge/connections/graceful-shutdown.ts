import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueueClients } from '#request-queue';
import { OpenRequests } from './open-requests.js';
import { connectionBelow } from '../server/tls.js';
import { watchTraffic } from './traffic.js';

/** Grace period for open requests since the start of the shutdown; the process has 24 s in all. */
const requestGraceMs = 18_000;

/** Time for clients to read the last responses. */
const closeGraceMs = 500;
const pollIntervalMs = 50;
const idleIterations = 3;
/**
 * Length of the accept queue of the kernel, which fills while this process is busy. If the queue is
 * full, the kernel drops the SYN and the client retries after 1, 3 and 7 s: connecting took 5 s
 * with Node's default of 511, and 1.4 s with 4,096.
 */
export const listenBacklog = 4_096;
/**
 * Maximum number of connections to accept while the accept queue is drained. Not a timeout, with
 * which a stalled process would lose connections.
 */
const maxDrained = listenBacklog + 1;
/**
 * Idle time after which a connection is closed. A request that is sent while its connection is
 * being closed gets no response, which is unlikely after this time.
 */
const idleMs = 2_000;

/**
 * Graceful shutdown: reports not ready and continues to accept connections until load balancers
 * have noticed. Each connection gets `Connection: close` with its next response, and idle ones are
 * closed. Accepted requests get a response, 504 at the end of the grace period. Connections of
 * slow clients are then closed.
 */
@Injectable()
export class GracefulShutdown {
  hasBegun = false;
  private readonly beginListeners: (() => void)[] = [];
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  /** Number of connections accepted so far. */
  private accepted = 0;
  /** Connections whose last response has `Connection: close`. */
  private readonly closing = new WeakSet<Socket>();

  constructor(
    private readonly requests: OpenRequests,
    private readonly clients: QueueClients,
  ) {}

  /** Adds a listener that is called when the shutdown begins. */
  onBegin(listener: () => void): void {
    this.beginListeners.push(listener);
  }

  /** Starts tracking the connections of a server. */
  watch(server: Server): void {
    this.server = server;
    const track = (socket: Socket): void => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    };
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      track(socket);
    });
    // With HTTPS, requests arrive on the TLS socket after the handshake
    server.on('secureConnection', (socket: TLSSocket) => {
      this.sockets.delete(connectionBelow(socket)!);
      track(socket);
    });
    watchTraffic(server);
  }

  /**
   * During the shutdown, adds `Connection: close` to the response to the last request of a
   * connection. Not to an earlier response, because pipelined requests after it are discarded.
   */
  announceClose(request: FastifyRequest, reply: FastifyReply): void {
    if (!this.hasBegun || !this.requests.isLast(request.raw)) return;
    void reply.header('connection', 'close');
    this.closing.add(request.raw.socket);
  }

  /**
   * Returns whether a request arrived after the last response of its connection was announced: such
   * a request must not be processed (RFC 9112, 9.6). Registered requests have arrived before.
   */
  isTooLate({ raw }: FastifyRequest): boolean {
    return this.closing.has(raw.socket) && this.requests.of(raw) === undefined;
  }

  /**
   * Shuts down; resolves when all connections are closed.
   *
   * @param unreadyMs how long new connections are accepted
   * @param withinMs grace period for open requests, from the call
   */
  async shutDown(unreadyMs: number, withinMs = requestGraceMs): Promise<void> {
    const deadline = performance.now() + withinMs;
    this.hasBegun = true;
    for (const listener of this.beginListeners) listener();
    await sleep(unreadyMs, undefined, { ref: false });
    await this.drainBacklog();
    // Stops listening. The HTTP server's `close` would close all idle connections immediately
    if (this.server) NetServer.prototype.close.call(this.server);
    await this.closeConnections(deadline);
    // Fails the pending service requests, so that open requests get 504
    if (this.sockets.size > 0) await this.clients.close();
    await this.closeConnections(performance.now() + closeGraceMs);
    for (const socket of this.sockets) socket.destroy();
  }

  /**
   * Resolves when the kernel's accept queue is empty, or `maxDrained` connections were accepted:
   * queued connections would get no response when the server stops listening. Node.js accepts one
   * connection per event loop iteration, right before `setImmediate` resolves.
   */
  private async drainBacklog(): Promise<void> {
    const maxAccepted = this.accepted + maxDrained;
    for (let idle = 0; idle < idleIterations && this.accepted < maxAccepted; idle += 1) {
      const before = this.accepted;
      await setImmediate();
      if (this.accepted > before) idle = -1;
    }
  }

  /**
   * Closes connections that have been idle for `idleMs`, until none is open or the deadline has
   * passed.
   */
  private async closeConnections(deadline: number): Promise<void> {
    const idleSince = new Map<Socket, number>();
    while (this.sockets.size > 0 && performance.now() < deadline) {
      const now = performance.now();
      for (const socket of this.sockets) {
        const since = idleSince.get(socket) ?? now;
        if (this.requests.isBusy(socket)) idleSince.delete(socket);
        else if (now - since >= idleMs) socket.destroySoon();
        else idleSince.set(socket, since);
      }
      await sleep(pollIntervalMs);
      // After a stall, timers run before received data is read: a request may be in the socket's
      // buffer
      await setImmediate();
    }
  }
}
