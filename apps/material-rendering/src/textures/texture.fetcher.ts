import type { Resolver } from 'node:dns/promises';
import { PassThrough, pipeline } from 'node:stream';
import { Agent, request, type Dispatcher } from 'undici';
import { abortAfter } from '#concurrency';
import { DomainError } from '#kernel';
import { AddressNotAllowed, type AllowedHosts, guardedConnector, networkOf, outboundUrl } from '#outbound';
import { type FetchPermit, FetchTooSlow } from './fetch.limiter.js';
import { addressRejected, empty, notFetched, tooLarge } from './texture.errors.js';
import { textureLimits } from './texture.rules.js';

interface FetcherOptions {
  readonly allowedHosts: AllowedHosts;
  /** Timeout of the whole fetch in milliseconds, including redirects. */
  readonly timeoutMs: number;
  readonly resolver?: Resolver;
}

/** Stores the bytes of an image as they arrive. */
type Save = (image: AsyncIterable<Uint8Array>) => Promise<void>;

// A response that is read slowly is buffered and never paused: undici 7.30 crashes the process when
// a server ends the connection during a pause (nodejs/undici#5360). The buffer is larger than the
// longest response
const neverPaused = { highWaterMark: 2 * textureLimits.bytes };
const maxResponseBytes = textureLimits.bytes;

const urlRules = { protocols: ['http', 'https'], ports: [80, 443] } as const;

const redirects = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 3;
// Limit for counting the bytes of an error page; its content is not used
const errorPageBytes = 64 * 1024;

const headers = {
  accept: 'image/png, image/jpeg, image/webp, image/avif, image/gif, image/*;q=0.1',
  // No compression: bytes are counted as they arrive, so they must not grow after the count
  'accept-encoding': 'identity',
  'user-agent': 'storefront-texture-fetcher/1',
};

/** Fetches textures from the public internet and from allowed hosts only. */
export class TextureFetcher {
  constructor(private readonly options: FetcherOptions) {}

  /**
   * Returns the host of a URL without a network request.
   *
   * @throws DomainError `texture.address-refused`
   */
  hostnameOf(address: string): string {
    return this.urlOf(address).hostname;
  }

  /**
   * Fetches an image and passes its bytes to `save` as they arrive, so that only bytes that wait
   * for the disk are in memory. The iterator throws for an image that must not be stored.
   *
   * @returns a description of the response for error messages: `HTTP 200, 1234 bytes`
   * @throws DomainError `texture.address-refused`, `texture.not-fetched`, `texture.too-large`,
   *   `texture.empty`
   * @throws DomainError `service.overloaded` when the permit is given to another fetch
   * @throws every error of `save`, unchanged
   */
  async fetch(address: string, save: Save, permit: FetchPermit): Promise<string> {
    let url = this.urlOf(address);
    const signal = abortAfter(this.options.timeoutMs, permit.signal);
    // One agent per fetch: connections and state of a server are never shared with another client's
    // fetch
    const agent = new Agent({
      connect: guardedConnector({
        ...this.options,
        onConnected: (serverAddress) => (permit.server = networkOf(serverAddress)),
      }),
      pipelining: 0,
      maxResponseSize: maxResponseBytes,
    });
    // undici 7.30 checks the signal of a request only after the connection is established
    signal.addEventListener('abort', () => void agent.destroy(signal.reason as Error), { once: true });
    try {
      for (let hop = 0; ; hop += 1) {
        const response = await request(url, { dispatcher: agent, signal, headers, ...neverPaused }).catch(
          toNotFetched(this.options),
        );
        const location = redirects.has(response.statusCode) ? response.headers.location : undefined;
        if (typeof location !== 'string') return await this.read(response, save, permit);
        response.body.on('error', () => undefined).destroy();
        if (hop === maxRedirects) throw notFetched(`more than ${maxRedirects} redirects`);
        url = this.urlOf(location, url.href);
      }
    } finally {
      agent.destroy().catch(() => undefined);
    }
  }

  private urlOf(address: string, base?: string): URL {
    try {
      return outboundUrl(address, { ...urlRules, allowedHosts: this.options.allowedHosts }, base);
    } catch (error) {
      throw toAddressRejected(error);
    }
  }

  private async read(
    { statusCode, headers: responseHeaders, body }: Dispatcher.ResponseData,
    save: Save,
    permit: FetchPermit,
  ): Promise<string> {
    const { options } = this;
    // The permit counts the bytes that the server sends, also while storing is slow
    body.on('data', ({ length }: Buffer) => permit.add(length)).on('end', () => permit.complete());
    const buffered = pipeline(body, new PassThrough(neverPaused), () => undefined);
    let count = 0;
    const seen = (): string => `HTTP ${statusCode}, ${count} bytes`;
    async function* upTo(limit: number): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of buffered as AsyncIterable<Buffer>) {
          count += chunk.length;
          if (count > limit) return;
          yield chunk;
        }
      } catch (error) {
        if ((error as { code?: string }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
          throw overLimit(`HTTP ${statusCode}`);
        toNotFetched(options, seen())(error);
      }
    }
    async function* image(): AsyncGenerator<Buffer> {
      yield* upTo(textureLimits.bytes);
      if (count > textureLimits.bytes) throw overLimit(seen());
      if (count === 0) throw empty(seen());
    }
    body.on('error', () => undefined);
    try {
      if (statusCode !== 200) {
        const page = upTo(errorPageBytes);
        while (!(await page.next()).done);
        throw notFetched('the server did not return an image', seen());
      }
      if (Number(responseHeaders['content-length']) > textureLimits.bytes) throw overLimit(`HTTP ${statusCode}`);
      await save(image());
      return seen();
    } finally {
      body.destroy();
    }
  }
}

const overLimit = (seen: string): DomainError => tooLarge(`more than ${textureLimits.bytes / 1024 / 1024} MB`, seen);

/** Maps the error of an address that is not allowed to a problem, and returns other errors. */
const toAddressRejected = (error: unknown): unknown =>
  error instanceof AddressNotAllowed ? addressRejected(error.reason) : error;

/** Messages for clients by the error codes of connections, the resolver, TLS and undici. */
const failures: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'the headers of the response are too long'],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, 'the response is not as long as its Content-Length'],
  [/CERT|^ERR_TLS_|^UNABLE_TO_|^HOSTNAME_MISMATCH$/, 'the certificate of the server is not valid'],
  [/^(?:EPROTO$|ERR_SSL_)/, 'the server violates the TLS protocol'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the server closed the connection'],
  [/^E(?:CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT)$/, 'the server is not reachable'],
  [/^E(?:SERVFAIL|REFUSED|TIMEOUT|BADRESP|FORMERR|NOTIMP)$/, 'its host name could not be resolved'],
];

/** Maps an error below HTTP to a problem. Its text contains neither addresses nor error codes. */
const toNotFetched =
  ({ timeoutMs }: FetcherOptions, seen?: string) =>
  (error: unknown): never => {
    const problem = toAddressRejected(error);
    if (problem instanceof DomainError) throw problem;
    if (error instanceof FetchTooSlow) throw notFetched(error.message, seen);
    const { name, code = '' } = error as { name?: string; code?: string };
    if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT')
      throw notFetched(`no complete response within ${timeoutMs} ms`, seen);
    if (name === 'HTTPParserError') throw notFetched('the response is not valid HTTP', seen);
    const [, reason] = failures.find(([pattern]) => pattern.test(code)) ?? [];
    throw notFetched(reason ?? 'the connection failed', seen);
  };
