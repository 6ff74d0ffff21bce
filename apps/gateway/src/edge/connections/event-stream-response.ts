import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Time without progress after which a client that does not read is disconnected. */
const slowReaderMs = 30_000;

/**
 * Response of server-sent events. `Connection: close` makes clients reconnect with a new
 * connection, which a load balancer can give to another gateway.
 */
export class EventStreamResponse {
  /** Time of the last write, of `performance.now()`. */
  writtenAt = 0;
  private readonly response: ServerResponse;

  constructor(reply: FastifyReply) {
    this.response = reply.raw;
    reply.hijack();
    this.response.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Tells NGINX to forward each event at once; by default it buffers
      'x-accel-buffering': 'no',
      connection: 'close',
    });
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  /**
   * Writes and resolves when the client has read enough for the next write, so that a slow client
   * has at most one event and the buffer of the connection in memory.
   */
  async write(text: string): Promise<void> {
    const { response } = this;
    if (!this.isOpen) return;
    this.writtenAt = performance.now();
    if (response.write(text)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => response.destroy(), slowReaderMs);
      const settle = (): void => {
        clearTimeout(timer);
        response.off('drain', settle).off('close', settle);
        resolve();
      };
      response.once('drain', settle).once('close', settle);
    });
  }

  onClose(listener: () => void): void {
    this.response.once('close', listener);
  }

  end(): void {
    this.response.end();
  }
}
