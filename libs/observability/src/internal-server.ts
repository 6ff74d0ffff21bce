import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register, type Registry } from 'prom-client';
import { type Readiness, readiness as ofThisProcess } from './readiness.js';

export interface InternalServerOptions {
  /** 0: one that the system chooses, for tests. */
  readonly port: number;
  readonly registry?: Registry;
  readonly readiness?: Readiness;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Probes and scrapes are some a minute. */
const connectionsAtOnce = 32;
const requestMs = 5_000;
const silenceMs = 10_000;
const headBytes = 8 * 1024;

const json = (status: number, body: object): Page => ({
  status,
  type: 'application/json; charset=utf-8',
  text: `${JSON.stringify(body)}\n`,
});

/**
 * What the process tells those who run it: `GET /health/live`, `GET /health/ready`, `GET /metrics`. On a port of its own,
 * which is not to be published: it asks nobody who they are. It listens on all addresses, because probes and Prometheus
 * come from other machines.
 */
export class InternalServer {
  private readonly server: Server;
  private readonly registry: Registry;
  private readonly readiness: Readiness;
  private scraping: Promise<string> | undefined;

  constructor(private readonly options: InternalServerOptions) {
    this.registry = options.registry ?? register;
    this.readiness = options.readiness ?? ofThisProcess;
    this.server = createServer(
      {
        maxHeaderSize: headBytes,
        headersTimeout: requestMs,
        requestTimeout: requestMs,
        connectionsCheckingInterval: 1_000,
        requireHostHeader: false,
      },
      (request, response) => void this.answer(request, response),
    );
    this.server.maxConnections = connectionsAtOnce;
    this.server.setTimeout(silenceMs, (socket) => socket.destroy());
  }

  /** @throws Error that names the port when it is taken */
  async open(): Promise<number> {
    const { port } = this.options;
    this.server.listen(port);
    try {
      await once(this.server, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      throw new Error(`INTERNAL_PORT: port ${port} is taken by another program`, { cause: error });
    }
    // From now on an error is one of a connection that could not be accepted, which nothing depends on
    this.server.on('error', () => undefined);
    return (this.server.address() as AddressInfo).port;
  }

  /** Whoever is being answered hears the answer no more: nothing of it is worth the wait. */
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, type, text } = await this.pageFor(request).catch(() => json(500, { status: 'failed' }));
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      ...(status === 405 && { allow: 'GET, HEAD' }),
      // One answer for each connection: nobody keeps one that others need, and what a body brings is not read
      connection: 'close',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  private async pageFor({ method, url = '', headers }: IncomingMessage): Promise<Page> {
    if (method !== 'GET' && method !== 'HEAD') return json(405, { status: 'use GET' });
    if ((headers['content-length'] ?? '0') !== '0' || 'transfer-encoding' in headers)
      return json(413, { status: 'no body is taken' });
    switch (url.split('?', 1)[0]) {
      case '/health/live':
        // Also while the process ends: whoever would end it for a 503 would cut off what it finishes
        return json(200, { status: 'ok' });
      case '/health/ready': {
        const answer = await this.readiness.answer();
        return json(answer.status === 'ok' ? 200 : 503, answer);
      }
      case '/metrics':
        return { status: 200, type: this.registry.contentType, text: await this.scrape() };
      default:
        return json(404, { status: 'nothing is here' });
    }
  }

  /** Once for all who ask at the same time: to write it takes some milliseconds of the event loop. */
  private scrape(): Promise<string> {
    return (this.scraping ??= this.registry.metrics().finally(() => (this.scraping = undefined)));
  }
}
