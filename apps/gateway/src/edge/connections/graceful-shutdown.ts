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

/** How long requests may take to end, in milliseconds since the shutdown began; the process has 24 s in all. */
const answeredWithinMs = 18_000;

/** What a client has to take the answers that are written in the last moment. */
const farewellMs = 500;
const lookEveryMs = 50;
const quietTurns = 3;
/**
 * There may be no end of new connections. The kernel lets no more of them wait at a time (511 is Node's backlog): with so many
 * taken, all who waited at first are. No clock: a process that stands still would lose them.
 */
const mostWaiting = 512;
/**
 * Who has not used a connection for so long will hardly do so in the moment in which it is ended: a request that crosses
 * the end on its way gets no answer.
 */
const quietMs = 2_000;

/**
 * How the gateway goes without breaking a promise: it says that it is not ready, and takes connections until that is
 * known; each connection hears with its next answer that it is the last one, and those that wait for none are ended.
 * What was accepted is answered, by a 504 when the time is over. Clients that send or read slowly are then left behind.
 */
@Injectable()
export class GracefulShutdown {
  hasBegun = false;
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  /** Connections so far. */
  private taken = 0;
  /** Connections that were told that nothing follows. */
  private readonly told = new WeakSet<Socket>();

  constructor(
    private readonly requests: OpenRequests,
    private readonly clients: QueueClients,
  ) {}

  /** Knows all connections of a server from now on. */
  watch(server: Server): void {
    this.server = server;
    const know = (socket: Socket): void => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    };
    server.on('connection', (socket: Socket) => {
      this.taken += 1;
      know(socket);
    });
    // With HTTPS requests come from another socket, when the handshake is done
    server.on('secureConnection', (socket: TLSSocket) => {
      this.sockets.delete(connectionBelow(socket)!);
      know(socket);
    });
    watchTraffic(server);
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
    await this.takeAll();
    // No further connections. The server's own `close` would end all those that wait for a request at once
    if (this.server) NetServer.prototype.close.call(this.server);
    await this.empty(until);
    // Whoever still waits is answered that nobody knows
    if (this.sockets.size > 0) await this.clients.close();
    await this.empty(performance.now() + farewellMs);
    for (const socket of this.sockets) socket.destroy();
  }

  /**
   * Resolves when no connection waits to be taken: whoever waits there when the server stops listening gets no answer,
   * although the kernel has let them in. Node takes one in each turn of its loop, right before this looks.
   */
  private async takeAll(): Promise<void> {
    const most = this.taken + mostWaiting;
    for (let turns = 0; turns < quietTurns && this.taken < most; turns += 1) {
      const before = this.taken;
      await setImmediate();
      if (this.taken > before) turns = -1;
    }
  }

  /** Ends connections that have been without a request for a while; those that are used hear of the end before. */
  private async empty(until: number): Promise<void> {
    const quietSince = new Map<Socket, number>();
    while (this.sockets.size > 0 && performance.now() < until) {
      const now = performance.now();
      for (const socket of this.sockets) {
        const since = quietSince.get(socket) ?? now;
        if (this.requests.isBusy(socket)) quietSince.delete(socket);
        else if (now - since >= quietMs) socket.destroySoon();
        else quietSince.set(socket, since);
      }
      await sleep(lookEveryMs);
      // After a stall timers run before what has arrived is read: a request may wait in the socket's buffer
      await setImmediate();
    }
  }
}
