import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { textureBodyLimit } from '#contracts';
import { isTrustedProxy } from './trusted-proxies.js';
import { addressShare, networkOf } from './address.js';
import type { EdgeTimes } from '../server/edge-times.js';

const MB = 1024 * 1024;

/**
 * Limits of reading the rest of a body after its response. Some clients send the whole body before
 * they read: if the connection closes earlier, Python's urllib reports a broken pipe instead of the
 * status, as do Python's requests over TLS and Node's http with `Connection: close` (32 MB on
 * loopback). curl and fetch read while sending. So a body of an accepted length is read completely.
 * Other bodies are limited: without a limit one connection on loopback made the gateway read 4.4 GB
 * in 5 s. With TLS each byte costs more, which was not measured.
 */
export const lingerLimits = {
  /** Longest `Content-Length` that is read completely. */
  announcedBytes: textureBodyLimit,
  /**
   * Limit for longer bodies, chunked bodies and malformed requests. A `Content-Length` up to this
   * limit does not close the connection: Node.js reads the rest of the body before the next
   * request.
   */
  bytes: 256 * 1024,
  /** Rate of all connections. */
  bytesPerSecond: 64 * MB,
  /** Rate of the connections of one address. */
  bytesPerSecondOfAddress: 64 * MB * addressShare,
} as const;

const tickMs = 50;

/** Byte rate limit, refilled with each tick. */
class Rate {
  private readonly perTick: number;
  left: number;

  constructor(bytesPerSecond: number) {
    this.perTick = this.left = (bytesPerSecond * tickMs) / 1_000;
  }

  get isFull(): boolean {
    return this.left === this.perTick;
  }

  /** Refills the limit. Chunks may exceed a tick; the excess is subtracted from the next one. */
  refill(): void {
    this.left = Math.min(this.perTick, this.left + this.perTick);
  }
}

interface Lingering {
  readonly until: number;
  readonly rates: readonly Rate[];
  left: number;
  /**
   * Idle time in ticks, not by a clock: after a stall, received data is read before the next tick.
   */
  idleTicks: number;
}

const hasRate = ({ rates }: Lingering): boolean => rates.every(({ left }) => left > 0);

/**
 * Lingering close (RFC 9112, 9.6): closes the sending side of a connection, then reads and discards
 * further data, so that unread bytes do not reset the connection and lose the response. Limited per
 * connection in time and bytes, and in bytes per second per address and in total; trusted proxies
 * count for the total only. Data above the byte limit is not read, and the client has a grace
 * period to read the response.
 */
export class LingeringClose {
  private readonly open = new Map<Socket, Lingering>();
  private readonly begun = new WeakSet<Socket>();
  /** `Content-Length` of the current body, if over `bytes` and at most `announcedBytes`. */
  private readonly announced = new WeakMap<Socket, number>();
  private readonly total = new Rate(lingerLimits.bytesPerSecond);
  /** Rates by address, deleted when full, so that a new connection does not reset them. */
  private readonly ofAddresses = new Map<string, Rate>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly times: Pick<EdgeTimes, 'lingerMs' | 'lingerIdleMs' | 'closeGraceMs'>,
    private readonly trustedProxies: false | readonly string[],
  ) {}

  /**
   * Uses lingering close on a server's connections after a response to an incomplete request. Until
   * a body above `lingerLimits.bytes` is complete, a response closes the connection.
   */
  watch(server: Server): void {
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
      if (coding === undefined && (length === undefined || length === '0')) return;
      const { socket } = request;
      // Node.js calls `destroySoon` after the last response of a connection
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

  /** Returns whether a connection is lingering and reads no more requests. */
  hasBegun(socket: Socket): boolean {
    return this.begun.has(socket);
  }

  /** Starts the lingering close. @param finalData data to send before the sending side is closed */
  close(socket: Socket, finalData?: string): void {
    if (this.begun.has(socket)) return;
    this.begun.add(socket);
    if (finalData === undefined) socket.end();
    else socket.end(finalData);
    const lingering = {
      until: performance.now() + this.times.lingerMs,
      rates: this.ratesOf(socket),
      left: lingerLimits.bytes + (this.announced.get(socket) ?? 0),
      idleTicks: 0,
    };
    detachParser(socket, ({ length }) => this.discard(socket, lingering, length));
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
    lingering.idleTicks = 0;
    for (const rate of lingering.rates) rate.left -= bytes;
    // Moved to the end, so that waiting connections are read first in the next tick
    if (this.open.delete(socket)) this.open.set(socket, lingering);
    if (lingering.left < 0) socket.pause();
    if (!hasRate(lingering)) for (const [other, its] of this.open) if (!hasRate(its)) other.pause();
  }

  private tick(): void {
    const waited = new Set([...this.open.values()].filter((lingering) => lingering.left >= 0 && !hasRate(lingering)));
    for (const rate of [this.total, ...this.ofAddresses.values()]) rate.refill();
    const now = performance.now();
    for (const [socket, lingering] of this.open) {
      if (!waited.has(lingering)) lingering.idleTicks += 1;
      const idleTimeoutMs = lingering.left < 0 ? this.times.closeGraceMs : this.times.lingerIdleMs;
      if (lingering.idleTicks * tickMs > idleTimeoutMs || now > lingering.until) socket.destroy();
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

/** Detaches a socket from the HTTP parser, so that late data is never processed as a request. */
function detachParser(socket: Socket, read: (chunk: Buffer) => void): void {
  // First: a 'data' listener detaches the connection from the parser, which reads it natively
  socket.on('data', read);
  for (const listener of socket.listeners('data')) if (listener !== read) socket.off('data', listener as () => void);
  // The parser pauses the connection if the request is not consumed, and the stream waits for data
  // since the parser took over: an empty chunk ends that wait and resumes reading
  socket.push('');
}
