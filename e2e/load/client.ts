import { Agent, request } from 'undici';
import type { Outcome } from './load.js';

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  readonly apiKey?: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

export interface LoadResponse {
  readonly outcome: Outcome;
  /** Parsed JSON, or the number of bytes of another body. */
  readonly body: unknown;
  readonly contentType: string;
  /** `Retry-After` in milliseconds; 0 without it. */
  readonly retryAfterMs: number;
}

/** Response timeout, longer than the response timeout of the gateway, 30 s. */
const timeoutMs = 40_000;

/** Error codes of failed connections, on which nothing was sent. */
const notConnected = new Set([
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Returns parsed JSON; undefined for invalid JSON, so that reading a field of it throws. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** HTTP client with persistent connections. Never throws: errors are outcomes. */
export class Client {
  private readonly agent = new Agent({
    connections: 128,
    // Short, so that connections that are open after a rest are not those of this client
    keepAliveMaxTimeout: 4_000,
    connect: { timeout: 5_000 },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });

  constructor(private readonly baseUrls: readonly string[]) {}

  /** Sends a request. @param turn selects the gateway, in rotation */
  async send(turn: number, { method, path, apiKey, body, idempotencyKey }: LoadRequest): Promise<LoadResponse> {
    const baseUrl = this.baseUrls[turn % this.baseUrls.length]!;
    try {
      const response = await request(`${baseUrl}${path}`, {
        dispatcher: this.agent,
        method,
        headers: {
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const contentType = String(response.headers['content-type'] ?? '');
      return {
        outcome: response.statusCode,
        body: contentType.includes('json') ? parsed(bytes) : bytes.length,
        contentType,
        retryAfterMs: Number(response.headers['retry-after'] ?? 0) * 1000,
      };
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const outcome = notConnected.has(code) ? 'not connected' : 'no response';
      return { outcome, body: undefined, contentType: '', retryAfterMs: 0 };
    }
  }

  /** Closes all connections, which aborts open requests. */
  close(): Promise<void> {
    return this.agent.destroy();
  }
}
