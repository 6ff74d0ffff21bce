import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { QueueClients } from '#request-queue';
import { OpenRequests } from './open-requests.js';

/** How long requests may take to end, in milliseconds since the departure began; the process has 24 s in all. */
const answeredWithinMs = 18_000;

/** What a client has to take the answers that are written in the last moment. */
const farewellMs = 500;
const lookEveryMs = 50;

/**
 * How the gateway goes without breaking a promise: it says that it is not ready, and takes connections until that is
 * known; each connection hears with its next answer that it is the last one, and those that wait for none are ended.
 * What was accepted is answered, by a 504 when the time is over. Clients that send or read slowly are then left behind.
 */
@Injectable()
export class Departure {
  hasBegun = false;
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  /** Connections that were told that nothing follows. */
  private readonly told = new WeakSet<Socket>();

  constructor(
    @Inject(OpenRequests) private readonly requests: OpenRequests,
    @Inject(QueueClients) private readonly clients: QueueClients,
  ) {}

  /** Knows all connections of a server from now on. */
  watch(server: Server): void {
    this.server = server;
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /**
   * Says `Connection: close` with the answer to the last request of a connection. Not before: pipelined requests behind
   * an answer that says so get none.
   */
  tell(request: FastifyRequest, reply: FastifyReply): void {
    if (!this.hasBegun || !this.requests.isLast(request)) return;
    void reply.header('connection', 'close');
    this.told.add(request.raw.socket);
  }

  /** Whether a request came behind the one that was told to be the last: it must not be processed (RFC 9112, 9.6). */
  isTooLate({ raw: { socket } }: FastifyRequest): boolean {
    return this.told.has(socket);
  }

  /**
   * Resolves when no connection is left.
   *
   * @param unreadyMs how long connections are still taken
   */
  async leave(unreadyMs: number, withinMs = answeredWithinMs): Promise<void> {
    const until = performance.now() + withinMs;
    this.hasBegun = true;
    await sleep(unreadyMs, undefined, { ref: false });
    // Ends no connection that has begun a request, nor one that never had one. Its check of slow clients ends here too
    this.server?.close();
    await this.empty(until);
    // Whoever still waits is answered that nobody knows
    if (this.sockets.size > 0) await this.clients.close();
    await this.empty(performance.now() + farewellMs);
    for (const socket of this.sockets) socket.destroy();
  }

  /** Ends connections without a request, each after a second look: its request may just be on its way. */
  private async empty(until: number): Promise<void> {
    const idle = new Set<Socket>();
    while (this.sockets.size > 0 && performance.now() < until) {
      for (const socket of this.sockets)
        if (this.requests.isBusy(socket)) idle.delete(socket);
        else if (idle.has(socket)) socket.destroySoon();
        else idle.add(socket);
      await sleep(lookEveryMs);
      // After a stall timers run before what has arrived is read: a request may wait in the socket's buffer
      await setImmediate();
    }
  }
}
