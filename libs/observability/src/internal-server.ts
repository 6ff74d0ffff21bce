import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register, type Registry } from 'prom-client';
import { withTimeout } from '#concurrency';
import {
  type InternalArea,
  type InternalAreas,
  internalAreas as areasOfThisProcess,
  type InternalPage,
} from './internal-areas.js';
import { type Readiness, readiness as ofThisProcess } from './readiness.js';

interface InternalServerOptions {
  /** 0: one that the system chooses, for tests. */
  readonly port: number;
  /** All addresses when absent. */
  readonly host?: string | undefined;
  readonly registry?: Registry;
  readonly readiness?: Readiness;
  readonly areas?: InternalAreas;
}

/** Probes and scrapes are some a minute. */
const connectionsAtOnce = 32;
const requestMs = 5_000;
const silenceMs = 10_000;
const headBytes = 8 * 1024;
/** Less than the silence after which a connection is ended. */
const areaMs = 8_000;
const areaRequestsAtOnce = 12;
const readMethods = ['GET', 'HEAD'];

const json = (status: number, body: object): InternalPage => ({
  status,
  type: 'application/json; charset=utf-8',
  body: `${JSON.stringify(body)}\n`,
});

/**
 * What the process tells those who run it: `GET /health/live`, `GET /health/ready`, `GET /metrics`, and the areas that its
 * parts declare. On a port of its own, which is not to be published: it asks nobody who they are. It listens on all
 * addresses unless it is told one, because probes and Prometheus come from other machines. An area that hangs, or is asked much, keeps nobody
 * else from an answer.
 */
export class InternalServer {
  private readonly server: Server;
  private readonly registry: Registry;
  private readonly readiness: Readiness;
  private readonly areas: InternalAreas;
  private areaRequests = 0;
  private scraping: Promise<string> | undefined;

  constructor(private readonly options: InternalServerOptions) {
    this.registry = options.registry ?? register;
    this.readiness = options.readiness ?? ofThisProcess;
    this.areas = options.areas ?? areasOfThisProcess;
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
    const { port, host } = this.options;
    this.server.listen(port, host);
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
    const [path = ''] = (request.url ?? '').split('?', 1);
    const area = this.areas.at(path);
    const methods = [...readMethods, ...(area?.methods ?? [])];
    const page = refusalOf(request, methods) ?? (area ? this.pageOf(area, request) : this.pageFor(path));
    const { status, type, body, headers } = await Promise.resolve(page).catch(() => json(500, { status: 'failed' }));
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(status === 405 && { allow: methods.join(', ') }),
      ...headers,
      // One answer for each connection: nobody keeps one that others need, and what a body brings is not read
      connection: 'close',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** What goes on after its time is over counts until its end. */
  private async pageOf(area: InternalArea, request: IncomingMessage): Promise<InternalPage> {
    if (this.areaRequests >= areaRequestsAtOnce) return json(503, { status: 'too much is asked at once' });
    this.areaRequests += 1;
    const page = Promise.resolve()
      .then(() => area.answer(request))
      .finally(() => (this.areaRequests -= 1));
    return withTimeout(page, areaMs, () => json(504, { status: 'took too long' }));
  }

  private async pageFor(path: string): Promise<InternalPage> {
    switch (path) {
      case '/health/live':
        // Also while the process ends: whoever would end it for a 503 would cut off what it finishes
        return json(200, { status: 'ok' });
      case '/health/ready': {
        const answer = await this.readiness.answer();
        return json(answer.status === 'ok' ? 200 : 503, answer);
      }
      case '/metrics':
        return { status: 200, type: this.registry.contentType, body: await this.scrape() };
      default:
        return json(404, { status: 'nothing is here' });
    }
  }

  /** Once for all who ask at the same time: to write it takes some milliseconds of the event loop. */
  private scrape(): Promise<string> {
    return (this.scraping ??= this.registry.metrics().finally(() => (this.scraping = undefined)));
  }
}

/** No path takes a body. */
function refusalOf({ method = '', headers }: IncomingMessage, methods: readonly string[]): InternalPage | undefined {
  if (!methods.includes(method)) return json(405, { status: `use ${methods.join(', ')}` });
  if ((headers['content-length'] ?? '0') !== '0' || 'transfer-encoding' in headers)
    return json(413, { status: 'no body is taken' });
  return undefined;
}
