import type { Resolver } from 'node:dns/promises';
import { Agent, request } from 'undici';
import { abortAfter } from '#concurrency';
import { AddressNotAllowed, type AllowedHosts, guardedConnector, outboundUrl } from '#outbound';
import { urlRules } from '../endpoints/endpoint.rules.js';
import type { AttemptError } from './attempt.entity.js';
import { type AttemptResult, parseRetryAfter } from './delivery.rules.js';

interface ClientOptions {
  readonly allowedHosts: AllowedHosts;
  /** Deadline of an attempt, from the DNS query to the end of the response. */
  readonly timeoutMs: number;
  readonly resolver?: Resolver;
}

interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Bytes of a response that are read. The rest has no effect. */
const maxResponseBytes = 64 * 1024;

const commonHeaders = {
  'content-type': 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'storefront-webhooks/1',
};

/** Classes by the error codes of connections, the resolver, TLS and undici. */
const errorClasses: readonly (readonly [code: RegExp, error: AttemptError])[] = [
  [/^(?:UND_ERR_\w+_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^ECONNREFUSED$/, 'connection-refused'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'too-large'],
  [/^(?:UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HPE_\w+)$/, 'protocol'],
  [/CERT|^ERR_TLS_|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^EPROTO$|^ERR_SSL_/, 'tls'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  [/^E(?:SERVFAIL|REFUSED|TIMEOUT|BADRESP|FORMERR|NOTIMP|CONNREFUSED)$/, 'dns'],
];

function classOf(error: unknown): AttemptError {
  if (error instanceof AddressNotAllowed) return 'address-not-allowed';
  const { name, code = '' } = error as { readonly name?: string; readonly code?: string };
  if (name === 'TimeoutError') return 'timeout';
  if (name === 'HTTPParserError') return 'protocol';
  return errorClasses.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreachable';
}

const redirectStatus = (status: number): boolean => status >= 300 && status < 400;
const successStatus = (status: number): boolean => status >= 200 && status < 300;
/** RFC 9110, section 15: a client treats other statuses as invalid. */
const validStatus = (status: number): boolean => status >= 100 && status < 600;

/** Sends webhooks to public addresses and allowed hosts only, without redirects. */
export class WebhookClient {
  constructor(private readonly options: ClientOptions) {}

  /**
   * Sends a request. A response with a status of 2xx is a success if it arrives completely, or its
   * first 64 KB, before the deadline. The content of a response is discarded.
   *
   * @throws the reason of the signal when it is aborted
   */
  async send(webhook: WebhookRequest, signal: AbortSignal): Promise<AttemptResult> {
    const startedAt = new Date();
    const startedMs = performance.now();
    const result = await this.post(webhook, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return { statusCode: null, error: classOf(error), retryAfterMs: 0 };
    });
    return { startedAt, durationMs: Math.round(performance.now() - startedMs), ...result };
  }

  private async post(
    { url, headers, body }: WebhookRequest,
    aborted: AbortSignal,
  ): Promise<Pick<AttemptResult, 'statusCode' | 'error' | 'retryAfterMs'>> {
    const address = outboundUrl(url, urlRules(this.options.allowedHosts));
    const signal = abortAfter(this.options.timeoutMs, aborted);
    // One agent per attempt: the name is resolved and checked again each time
    const agent = new Agent({ connect: guardedConnector(this.options), pipelining: 0 });
    // undici 7.30 checks the signal of a request only after the connection is established
    signal.addEventListener('abort', () => void agent.destroy(signal.reason as Error), { once: true });
    try {
      const response = await request(address, {
        dispatcher: agent,
        method: 'POST',
        headers: { ...commonHeaders, ...headers },
        body,
        signal,
      });
      const { statusCode } = response;
      // Its stream fails when the agent is destroyed
      response.body.on('error', () => undefined);
      const header = response.headers['retry-after'];
      const retryAfterMs = parseRetryAfter(typeof header === 'string' ? header : undefined, new Date());
      if (!validStatus(statusCode)) return { statusCode: null, error: 'protocol', retryAfterMs };
      if (redirectStatus(statusCode)) return { statusCode, error: 'redirect', retryAfterMs };
      if (!successStatus(statusCode)) return { statusCode, error: 'status', retryAfterMs };
      const error = await discard(response.body).catch((cause: unknown) => {
        aborted.throwIfAborted();
        return classOf(cause);
      });
      return { statusCode, error, retryAfterMs: 0 };
    } finally {
      agent.destroy().catch(() => undefined);
    }
  }
}

/**
 * Reads at most 64 KB, without a pause, because undici 7.30 can crash the process in one
 * (nodejs/undici#5360).
 */
function discard(body: NodeJS.ReadableStream & { destroy(): void }): Promise<null> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    body.on('error', reject);
    body.on('end', () => resolve(null));
    body.on('data', ({ length }: Buffer) => {
      bytes += length;
      if (bytes <= maxResponseBytes) return;
      resolve(null);
      body.destroy();
    });
  });
}
