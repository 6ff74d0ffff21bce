import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { textureBodyLimit } from '#contracts';
import { isTrustedProxy } from './trusted-proxies.js';
import { addressShare, networkOf } from './address.js';
import type { EdgeTimes } from '../server/edge-times.js';

const MB = 1024 * 1024;

/**
 * The rest of a body that is read after its response. Some clients send a whole body before they read: when the connection
 * ends before that, Python's urllib reports a broken pipe instead of the status, as do requests over TLS and Node's http with
 * `Connection: close` (32 MB on loopback). curl and fetch read meanwhile. So a body is read whole when its length is one
 * that the API accepts. What may be endless is not: without a bound one connection on loopback made the gateway read 4.4 GB
 * in 5 s. With TLS each byte costs more; that was not measured.
 */
export const lingerLimits = {
  /** Longest `Content-Length` that is read to its end. */
  announcedBytes: textureBodyLimit,
  /**
   * Of a longer body, of one in chunks, and of what is no request. The rest of a body of up to this length is read as
   * part of its connection, which stays open for the next request.
   */
  bytes: 256 * 1024,
  /** Of all connections together. */
  bytesPerSecond: 64 * MB,
  /** Of the connections of one address. */
  bytesPerSecondOfAddress: 64 * MB * addressShare,
} as const;

const tickMs = 50;

/** A rate limit, refilled with each tick. */
class Rate {
  private readonly perTick: number;
  left: number;

  constructor(bytesPerSecond: number) {
    this.perTick = this.left = (bytesPerSecond * tickMs) / 1_000;
  }

  get isFull(): boolean {
    return this.left === this.perTick;
  }

  /** A connection is read in larger pieces than a tick has: what was too much is missing in the next one. */
  refill(): void {
    this.left = Math.min(this.perTick, this.left + this.perTick);
  }
}

interface Lingering {
  readonly until: number;
  readonly rates: readonly Rate[];
  left: number;
  /** Counted in ticks, not by a clock: after a stall of the process what has arrived is read before the next tick. */
  silentTicks: number;
}

const hasRate = ({ rates }: Lingering): boolean => rates.every(({ left }) => left > 0);

/**
 * Lingering close (RFC 9112, 9.6): ends the sending side of a connection, then reads and discards what the client still
 * sends, so that unread bytes do not reset the connection and lose the response. Bounded for each connection in time and
 * bytes, and in bytes per second for each address and for all connections; trusted proxies count with all only. What
 * exceeds the bytes is not read: a client that reads meanwhile has a moment for the response.
 */
export class LingeringClose {
  private readonly open = new Map<Socket, Lingering>();
  private readonly begun = new WeakSet<Socket>();
  /** Length of the body that is arriving, where it is one that the API accepts. */
  private readonly announced = new WeakMap<Socket, number>();
  private readonly total = new Rate(lingerLimits.bytesPerSecond);
  /** By address, until they are full again: a new connection does not refill them. */
  private readonly ofAddresses = new Map<string, Rate>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly times: Pick<EdgeTimes, 'lingerMs' | 'lingerSilenceMs' | 'farewellMs'>,
    private readonly trustedProxies: false | readonly string[],
  ) {}

  /** Closes the connections of a server in this way when a response was sent before the body had come. */
  watch(server: Server): void {
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
      if (coding === undefined && (length === undefined || length === '0')) return;
      const { socket } = request;
      // Node calls it after a response that is the last one of its connection
      socket.destroySoon = () => {
        if (request.complete) Socket.prototype.destroySoon.call(socket);
        else this.close(socket);
      };
      const announced = coding === undefined ? Number(length) : Infinity;
      if (announced <= lingerLimits.bytes) return;
      if (announced <= lingerLimits.announcedBytes) this.announced.set(socket, announced);
      const { shouldKeepAlive } = response;
      response.shouldKeepAlive = false;
      request.once('end', () => {
        this.announced.delete(socket);
        response.shouldKeepAlive = shouldKeepAlive;
      });
    });
  }

  /** Whether the connection reads no requests any more. */
  hasBegun(socket: Socket): boolean {
    return this.begun.has(socket);
  }

  /** @param lastWords what is sent before */
  close(socket: Socket, lastWords?: string): void {
    if (this.begun.has(socket)) return;
    this.begun.add(socket);
    if (lastWords === undefined) socket.end();
    else socket.end(lastWords);
    const lingering = {
      until: performance.now() + this.times.lingerMs,
      rates: this.ratesOf(socket),
      left: lingerLimits.bytes + (this.announced.get(socket) ?? 0),
      silentTicks: 0,
    };
    takeFromParser(socket, ({ length }) => this.discard(socket, lingering, length));
    this.open.set(socket, lingering);
    socket.once('close', () => this.open.delete(socket));
    this.timer ??= setInterval(() => this.tick(), tickMs).unref();
    if (hasRate(lingering)) socket.resume();
    else socket.pause();
  }

  private ratesOf({ remoteAddress = '' }: Socket): readonly Rate[] {
    if (this.trustedProxies && isTrustedProxy(this.trustedProxies, remoteAddress)) return [this.total];
    const network = networkOf(remoteAddress);
    const own = this.ofAddresses.get(network) ?? new Rate(lingerLimits.bytesPerSecondOfAddress);
    this.ofAddresses.set(network, own);
    return [this.total, own];
  }

  private discard(socket: Socket, lingering: Lingering, bytes: number): void {
    lingering.left -= bytes;
    lingering.silentTicks = 0;
    for (const rate of lingering.rates) rate.left -= bytes;
    // Behind the others: those that wait are read first in the next tick
    if (this.open.delete(socket)) this.open.set(socket, lingering);
    if (lingering.left < 0) socket.pause();
    if (!hasRate(lingering)) for (const [other, its] of this.open) if (!hasRate(its)) other.pause();
  }

  private tick(): void {
    const waited = new Set([...this.open.values()].filter((lingering) => lingering.left >= 0 && !hasRate(lingering)));
    for (const rate of [this.total, ...this.ofAddresses.values()]) rate.refill();
    const now = performance.now();
    for (const [socket, lingering] of this.open) {
      if (!waited.has(lingering)) lingering.silentTicks += 1;
      const silenceMs = lingering.left < 0 ? this.times.farewellMs : this.times.lingerSilenceMs;
      if (lingering.silentTicks * tickMs > silenceMs || now > lingering.until) socket.destroy();
      else if (lingering.left >= 0 && hasRate(lingering)) socket.resume();
    }
    const inUse = new Set([...this.open.values()].flatMap(({ rates }) => rates));
    for (const [network, rate] of this.ofAddresses)
      if (rate.isFull && !inUse.has(rate)) this.ofAddresses.delete(network);
    if (this.open.size > 0 || this.ofAddresses.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** Nothing of it becomes a request any more: one that came too late must not be carried out after all. */
function takeFromParser(socket: Socket, read: (chunk: Buffer) => void): void {
  // First: a listener takes the connection from Node's parser, which reads it without this event
  socket.on('data', read);
  for (const listener of socket.listeners('data')) if (listener !== read) socket.off('data', listener as () => void);
  // The parser has stopped the connection when nothing consumes the request, and the stream has waited for its own chunk
  // since the parser took it over: an empty one ends that wait, so that the stream starts reading again
  socket.push('');
}
