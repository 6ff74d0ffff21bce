import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { baseUrl } from './shop.js';

/** Outcome of an attempt. `lost`: the shop executes the request, and its response is lost. */
type AttemptOutcome = 'delivered' | 'lost' | { readonly status: number; readonly retryAfter?: number };

/** A received request of a client: its first attempt or a retry. */
interface Attempt {
  /** `POST /api/v1/products/:id/favorites` */
  readonly request: string;
  readonly key: string | undefined;
  readonly atMs: number;
  /** True if the shop repeated an earlier response. */
  isReplayed: boolean;
}

/** Proxy of the shop with configured outcomes of the first attempts of a request. */
export class LossyShop {
  readonly attempts: Attempt[] = [];
  private readonly server: Server;

  private constructor(private readonly outcomes: Readonly<Record<string, readonly AttemptOutcome[]>>) {
    this.server = createServer((request, response) => {
      const attempt = this.note(request);
      const outcome = this.outcomeOf(attempt.request);
      if (typeof outcome === 'object') {
        const { status, retryAfter } = outcome;
        response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end('{}');
        return;
      }
      void forward(request).then(async (got) => {
        attempt.isReplayed = got.headers.get('idempotency-replayed') === 'true';
        const bytes = Buffer.from(await got.arrayBuffer());
        if (outcome === 'lost') request.socket.destroy();
        else response.writeHead(got.status, { 'content-type': got.headers.get('content-type') ?? '' }).end(bytes);
      });
    });
  }

  static async open(outcomes: Readonly<Record<string, readonly AttemptOutcome[]>>): Promise<LossyShop> {
    const shop = new LossyShop(outcomes);
    await new Promise<void>((resolve) => shop.server.listen(0, '127.0.0.1', resolve));
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(request: string): Attempt[] {
    return this.attempts.filter((attempt) => attempt.request === request);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private note({ method = '', url = '', headers }: IncomingMessage): Attempt {
    const key = headers['idempotency-key'] as string | undefined;
    const request = `${method} ${url.replace(/\/\d+/g, '/:id')}`;
    const attempt = { request, key, atMs: performance.now(), isReplayed: false };
    this.attempts.push(attempt);
    return attempt;
  }

  private outcomeOf(request: string): AttemptOutcome {
    return this.outcomes[request]?.[this.of(request).length - 1] ?? 'delivered';
  }
}

async function forward(request: IncomingMessage): Promise<Response> {
  const { method = '', url = '', headers } = request;
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const passed = Object.entries(headers).filter(([name]) =>
    /^(?:authorization|content-type|idempotency-key)$/.test(name),
  );
  return fetch(`${baseUrl}${url}`, {
    method,
    headers: Object.fromEntries(passed) as Record<string, string>,
    ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
  });
}
