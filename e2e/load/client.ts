import { Agent, request } from 'undici';
import type { Ending } from './load.js';

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With the query string. */
  readonly path: string;
  readonly apiKey?: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

export interface Answered {
  readonly ending: Ending;
  /** Parsed when it is JSON, else the number of its bytes. */
  readonly body: unknown;
  readonly contentType: string;
  /** What `Retry-After` asks for, in milliseconds; 0 without it. */
  readonly retryAfterMs: number;
}

/** Longer than the deadline of any request behind the gateway: silence until then is no answer. */
const patienceMs = 40_000;

/** What says that no connection came about, so that nothing was sent. */
const notConnected = new Set([
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Undefined when it is no JSON although it says so: whoever reads a field of it then says what was wrong. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** Sends requests over connections that stay open. Never throws: what goes wrong is an ending. */
export class Client {
  private readonly agent = new Agent({
    connections: 128,
    // Whatever the gateway would allow: what a fleet holds open a few seconds after the last request is its own
    keepAliveMaxTimeout: 4_000,
    connect: { timeout: 5_000 },
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
  });

  constructor(private readonly baseUrls: readonly string[]) {}

  /** @param turn which gateway: they take turns */
  async ask(turn: number, { method, path, apiKey, body, idempotencyKey }: Asked): Promise<Answered> {
    const baseUrl = this.baseUrls[turn % this.baseUrls.length]!;
    try {
      const answer = await request(`${baseUrl}${path}`, {
        dispatcher: this.agent,
        method,
        headers: {
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      const contentType = String(answer.headers['content-type'] ?? '');
      return {
        ending: answer.statusCode,
        body: contentType.includes('json') ? parsed(bytes) : bytes.length,
        contentType,
        retryAfterMs: Number(answer.headers['retry-after'] ?? 0) * 1000,
      };
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const ending = notConnected.has(code) ? 'not connected' : 'no answer';
      return { ending, body: undefined, contentType: '', retryAfterMs: 0 };
    }
  }

  /** Ends requests that have no answer yet. */
  close(): Promise<void> {
    return this.agent.destroy();
  }
}
