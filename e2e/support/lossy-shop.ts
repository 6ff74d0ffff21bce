import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { baseUrl } from './shop.js';

/** What becomes of an attempt. `lost` is done by the shop, and its answer cut off. */
type Fate = 'answered' | 'lost' | { readonly status: number; readonly retryAfter?: number };

/** One attempt of a client, as it came. */
interface Attempt {
  /** `POST /api/v1/products/:id/favorites` */
  readonly request: string;
  readonly key: string | undefined;
  readonly atMs: number;
  /** The shop did it before, and gave the first answer again. */
  isReplayed: boolean;
}

/** The shop behind a network and a proxy that fail as they are told to: per request, the fates of its first attempts. */
export class LossyShop {
  readonly attempts: Attempt[] = [];
  private readonly server: Server;

  private constructor(private readonly fates: Readonly<Record<string, readonly Fate[]>>) {
    this.server = createServer((asked, answer) => {
      const attempt = this.note(asked);
      const fate = this.fateOf(attempt.request);
      if (typeof fate === 'object') {
        const { status, retryAfter } = fate;
        answer.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end('{}');
        return;
      }
      void forward(asked).then(async (got) => {
        attempt.isReplayed = got.headers.get('idempotency-replayed') === 'true';
        const bytes = Buffer.from(await got.arrayBuffer());
        if (fate === 'lost') asked.socket.destroy();
        else answer.writeHead(got.status, { 'content-type': got.headers.get('content-type') ?? '' }).end(bytes);
      });
    });
  }

  static async open(fates: Readonly<Record<string, readonly Fate[]>>): Promise<LossyShop> {
    const shop = new LossyShop(fates);
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

  private fateOf(request: string): Fate {
    return this.fates[request]?.[this.of(request).length - 1] ?? 'answered';
  }
}

async function forward(asked: IncomingMessage): Promise<Response> {
  const { method = '', url = '', headers } = asked;
  const pieces: Buffer[] = [];
  for await (const piece of asked) pieces.push(piece as Buffer);
  const passed = Object.entries(headers).filter(([name]) =>
    /^(?:authorization|content-type|idempotency-key)$/.test(name),
  );
  return fetch(`${baseUrl}${url}`, {
    method,
    headers: Object.fromEntries(passed) as Record<string, string>,
    ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
  });
}
