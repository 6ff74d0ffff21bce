import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { register, type Registry } from 'prom-client';
import { withTimeout } from '#concurrency';
import {
  type InternalRoute,
  type InternalRoutes,
  internalRoutes as processRoutes,
  type InternalResponse,
} from './internal-routes.js';
import { type Readiness, readiness as processReadiness } from './readiness.js';

interface InternalServerOptions {
  /** 0: a free port, for tests. */
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string | undefined;
  readonly registry?: Registry;
  readonly readiness?: Readiness;
  readonly routes?: InternalRoutes;
}

/** Enough for probes and scrapes, which are a few per minute. */
const maxConnections = 32;
const requestTimeoutMs = 5_000;
const idleTimeoutMs = 10_000;
const maxHeaderBytes = 8 * 1024;
/** Shorter than the idle timeout of a connection. */
const routeTimeoutMs = 8_000;
const maxRouteRequests = 12;
const readMethods = ['GET', 'HEAD'];

const json = (status: number, body: object): InternalResponse => ({
  status,
  type: 'application/json; charset=utf-8',
  body: `${JSON.stringify(body)}\n`,
});

/**
 * HTTP server for operators and monitoring: `GET /health/live`, `GET /health/ready`, `GET
 * /metrics`, and the routes that parts of the process register. Its port must not be published,
 * because the built-in routes are not authenticated. The default is to listen on all addresses,
 * because probes and Prometheus run on other machines. A registered route that hangs or is
 * overloaded does not block other paths.
 */
export class InternalServer {
  private readonly server: Server;
  private readonly registry: Registry;
  private readonly readiness: Readiness;
  private readonly routes: InternalRoutes;
  private routeRequests = 0;
  private scraping: Promise<string> | undefined;

  constructor(private readonly options: InternalServerOptions) {
    this.registry = options.registry ?? register;
    this.readiness = options.readiness ?? processReadiness;
    this.routes = options.routes ?? processRoutes;
    this.server = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: requestTimeoutMs,
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: 1_000,
        requireHostHeader: false,
      },
      (request, response) => void this.respond(request, response),
    );
    this.server.maxConnections = maxConnections;
    this.server.setTimeout(idleTimeoutMs, (socket) => socket.destroy());
  }

  /** @throws Error that names the port when it is in use */
  async open(): Promise<number> {
    const { port, host } = this.options;
    this.server.listen(port, host);
    try {
      await once(this.server, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      throw new Error(`INTERNAL_PORT: port ${port} is used by another program`, { cause: error });
    }
    // Later errors are of connections that could not be accepted, which nothing depends on
    this.server.on('error', () => undefined);
    return (this.server.address() as AddressInfo).port;
  }

  /** Closes all connections, also those with a pending response. */
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const route = this.routes.match(path);
    const methods = [...readMethods, ...(route?.methods ?? [])];
    const page =
      rejectionOf(request, methods) ?? (route ? this.routeResponse(route, request) : this.builtInResponse(path));
    const { status, type, body, headers } = await Promise.resolve(page).catch(() => json(500, { status: 'failed' }));
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(status === 405 && { allow: methods.join(', ') }),
      ...headers,
      // One response per connection, so that idle connections do not count and no body is read
      connection: 'close',
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** Calls the handler of a route. A handler that has timed out counts until it ends. */
  private async routeResponse(route: InternalRoute, request: IncomingMessage): Promise<InternalResponse> {
    if (this.routeRequests >= maxRouteRequests) return json(503, { status: 'too many requests' });
    this.routeRequests += 1;
    const page = Promise.resolve()
      .then(() => route.handle(request))
      .finally(() => (this.routeRequests -= 1));
    return withTimeout(page, routeTimeoutMs, () => json(504, { status: 'timed out' }));
  }

  private async builtInResponse(path: string): Promise<InternalResponse> {
    switch (path) {
      case '/health/live':
        // Also during shutdown: a supervisor that kills the process on 503 would cut off open
        // requests
        return json(200, { status: 'ok' });
      case '/health/ready': {
        const report = await this.readiness.report();
        return json(report.status === 'ok' ? 200 : 503, report);
      }
      case '/metrics':
        return { status: 200, type: this.registry.contentType, body: await this.scrape() };
      default:
        return json(404, { status: 'not found' });
    }
  }

  /**
   * Coalesces concurrent scrapes: to write the metrics takes some milliseconds of the event loop.
   */
  private scrape(): Promise<string> {
    return (this.scraping ??= this.registry.metrics().finally(() => (this.scraping = undefined)));
  }
}

/**
 * Returns the response to a request with a body or with a method that is not allowed, otherwise
 * undefined.
 */
function rejectionOf(
  { method = '', headers }: IncomingMessage,
  methods: readonly string[],
): InternalResponse | undefined {
  if (!methods.includes(method)) return json(405, { status: `use ${methods.join(', ')}` });
  if ((headers['content-length'] ?? '0') !== '0' || 'transfer-encoding' in headers)
    return json(413, { status: 'request bodies are not accepted' });
  return undefined;
}
