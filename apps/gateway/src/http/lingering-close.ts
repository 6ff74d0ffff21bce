import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { EdgeTimes } from './edge-times.js';

const MB = 1024 * 1024;

/**
 * The rest of a body that is read after its response. Some clients send a whole body before they read: when the connection
 * ends before that, Python's urllib reports a broken pipe instead of the status, as do requests over TLS and Node's http with
 * `Connection: close` (32 MB on loopback). curl and fetch read meanwhile. So the bound is what a client needs that
 * was rejected for a body over the API's own maximum of 32 MB: twice that. A small bound per connection would not stop an
 * attacker, who opens the next connection: the rate does, which all connections share. Without it one connection on loopback
 * made the gateway read 4.4 GB in 5 s. With TLS each byte costs more; that was not measured.
 */
export const lingerLimits = {
  /** Of one connection. */
  bytes: 64 * MB,
  /** Of all connections together. */
  bytesPerSecond: 64 * MB,
  /** The rest of a body of up to this length is read as part of its connection, which stays open for the next request. */
  keepAliveBytes: 256 * 1024,
} as const;

const tickMs = 50;
const bytesPerTick = (lingerLimits.bytesPerSecond * tickMs) / 1_000;

interface Lingering {
  readonly until: number;
  bytes: number;
  /** Counted in ticks, not by a clock: after a stall of the process what has arrived is read before the next tick. */
  silentTicks: number;
}

/**
 * Lingering close (RFC 9112, 9.6): ends the sending side of a connection, then reads and discards what the client still
 * sends, so that unread bytes do not reset the connection and lose the response. Bounded for each connection in time and
 * bytes, and for all connections in bytes per second.
 */
export class LingeringClose {
  private readonly open = new Map<Socket, Lingering>();
  private readonly begun = new WeakSet<Socket>();
  private left = bytesPerTick;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly times: Pick<EdgeTimes, 'lingerMs' | 'lingerSilenceMs'>) {}

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
      if (coding === undefined && Number(length) <= lingerLimits.keepAliveBytes) return;
      const { shouldKeepAlive } = response;
      response.shouldKeepAlive = false;
      request.once('end', () => (response.shouldKeepAlive = shouldKeepAlive));
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
    const lingering = { until: performance.now() + this.times.lingerMs, bytes: 0, silentTicks: 0 };
    takeFromParser(socket, ({ length }) => this.discard(socket, lingering, length));
    this.open.set(socket, lingering);
    socket.once('close', () => this.open.delete(socket));
    this.timer ??= setInterval(() => this.tick(), tickMs).unref();
    if (this.left > 0) socket.resume();
    else socket.pause();
  }

  private discard(socket: Socket, lingering: Lingering, bytes: number): void {
    lingering.bytes += bytes;
    lingering.silentTicks = 0;
    if (lingering.bytes > lingerLimits.bytes) {
      socket.destroy();
      return;
    }
    this.left -= bytes;
    // Behind the others: those that wait are read first in the next tick
    if (this.open.delete(socket)) this.open.set(socket, lingering);
    if (this.left <= 0) for (const other of this.open.keys()) other.pause();
  }

  private tick(): void {
    const wasPaused = this.left <= 0;
    // A connection is read in larger pieces than a tick has: what was too much is missing now
    this.left = Math.min(bytesPerTick, this.left + bytesPerTick);
    const now = performance.now();
    for (const [socket, lingering] of this.open) {
      if (!wasPaused) lingering.silentTicks += 1;
      const isSilent = lingering.silentTicks * tickMs > this.times.lingerSilenceMs;
      if (isSilent || now > lingering.until) socket.destroy();
      else if (this.left > 0) socket.resume();
    }
    if (this.open.size > 0) return;
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
