import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** A received request: `POST /path`, and its Idempotency-Key. */
interface Received {
  readonly request: string;
  readonly key: string | undefined;
}

/** Returns the response to a request; `break` closes the connection. */
type Responder = (received: Received) => Reply | 'break';

/** HTTP server with configurable responses, which replaces the gateway. */
export class FakeGateway {
  readonly received: Received[] = [];
  respond: Responder = () => ({ status: 200, body: {} });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeGateway> {
    const server = createServer((request, response) => gateway.take(request, response));
    const gateway = new FakeGateway(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const received = {
      request: `${request.method} ${request.url}`,
      key: request.headers['idempotency-key']?.toString(),
    };
    this.received.push(received);
    const reply = this.respond(received);
    if (reply === 'break') return void request.socket.destroy();
    const { status, body, headers = { 'content-type': 'application/json' } } = reply;
    request.resume();
    response.writeHead(status, headers).end(body === undefined ? 'bytes' : JSON.stringify(body));
  }
}
