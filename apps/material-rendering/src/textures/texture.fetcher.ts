import { promises as dns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { PassThrough, pipeline } from 'node:stream';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { DomainError } from '#kernel';
import { type AllowedHosts, bareHost, isAllowedHost, isPublicAddress, networkOf, textureUrl } from './address.rules.js';
import { type FetchPermit, FetchTooSlow } from './fetch.limiter.js';
import { addressRejected, empty, notFetched, tooLarge } from './texture.errors.js';
import { textureLimits } from './texture.rules.js';

interface FetcherOptions {
  readonly allowedHosts: AllowedHosts;
  /** Timeout of the whole fetch in milliseconds, including redirects. */
  readonly timeoutMs: number;
  /**
   * Sends DNS queries without a thread of the pool. `dns.lookup` would block one of the four
   * threads, which all decoding and encoding needs, for as long as a slow name server takes.
   */
  readonly resolver?: dns.Resolver;
}

/** Stores the bytes of an image as they arrive. */
type Save = (image: AsyncIterable<Uint8Array>) => Promise<void>;

// A response that is read slowly is buffered and never paused: undici 7.30 crashes the process when
// a server ends the connection during a pause (nodejs/undici#5360). The buffer is larger than the
// longest response
const neverPaused = { highWaterMark: 2 * textureLimits.bytes };
const maxResponseBytes = textureLimits.bytes;

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
  private readonly resolver: dns.Resolver;

  constructor(private readonly options: FetcherOptions) {
    this.resolver = options.resolver ?? new dns.Resolver({ timeout: 2_000, tries: 2 });
  }

  /**
   * Returns the host of a URL without a network request.
   *
   * @throws DomainError `texture.address-refused`
   */
  hostnameOf(address: string): string {
    return textureUrl(address, this.options.allowedHosts).hostname;
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
    let url = textureUrl(address, this.options.allowedHosts);
    const signal = AbortSignal.any([AbortSignal.timeout(this.options.timeoutMs), permit.signal]);
    // One agent per fetch: connections and state of a server are never shared with another client's
    // fetch
    const agent = new Agent({
      connect: this.guardedConnector(permit),
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
        url = textureUrl(location, this.options.allowedHosts, url.href);
      }
    } finally {
      agent.destroy().catch(() => undefined);
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

  /**
   * Connects to allowed hosts and public addresses only. It checks literal addresses, which need no
   * DNS lookup; every address that the DNS returns; and the address that the socket is connected
   * to. The last check makes a second, different response of a hostile name server (DNS rebinding)
   * useless.
   */
  private guardedConnector(permit: FetchPermit): buildConnector.connector {
    const limits = { timeout: this.options.timeoutMs };
    const plain = buildConnector(limits);
    const guarded = buildConnector({ ...limits, lookup: this.publicLookup() });
    return (options, connected) => {
      const callback: buildConnector.Callback = (...[error, socket]) => {
        if (socket?.remoteAddress !== undefined) permit.server = networkOf(socket.remoteAddress);
        if (error) connected(error, null);
        else connected(null, socket);
      };
      const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
      if (isAllowedHost({ hostname: options.hostname, port }, this.options.allowedHosts)) {
        plain(options, callback);
        return;
      }
      const literal = bareHost(options.hostname);
      if (isIP(literal) !== 0 && !isPublicAddress(literal)) {
        callback(notPublic(), null);
        return;
      }
      guarded(options, (...[error, socket]) => {
        if (error) callback(error, null);
        else if (isPublicAddress(socket.remoteAddress ?? '')) callback(null, socket);
        else {
          socket.destroy();
          callback(notPublic(), null);
        }
      });
    };
  }

  private publicLookup(): LookupFunction {
    return (hostname, options, callback) => {
      this.resolve(hostname).then(
        (addresses) => {
          const [first] = addresses;
          if (first === undefined) callback(notPublic(), '');
          else if (options.all) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
      );
    };
  }

  /**
   * Returns the public addresses of a name. A name that is unknown, has no address or resolves to
   * an internal address is rejected with the same message, after both DNS queries have finished:
   * clients must not learn which names exist in the internal network.
   */
  private async resolve(hostname: string): Promise<{ address: string; family: 4 | 6 }[]> {
    const [four, six] = await Promise.allSettled([this.resolver.resolve4(hostname), this.resolver.resolve6(hostname)]);
    if (four.status === 'rejected' && six.status === 'rejected')
      throw [four.reason, six.reason].find((reason) => !hasNoAddress(reason)) ?? notPublic();
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 as const })),
      ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 as const })),
    ];
    // One internal address is enough to reject the name: attackers add a public one to pass checks
    if (!addresses.every(({ address }) => isPublicAddress(address))) throw notPublic();
    return addresses;
  }
}

/** Returns true for a DNS response without an address of the name. */
const hasNoAddress = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '');

const overLimit = (seen: string): DomainError => tooLarge(`more than ${textureLimits.bytes / 1024 / 1024} MB`, seen);
const notPublic = (): DomainError => addressRejected('it is not on the public internet');

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
    if (error instanceof DomainError) throw error;
    if (error instanceof FetchTooSlow) throw notFetched(error.message, seen);
    const { name, code = '' } = error as { name?: string; code?: string };
    if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT')
      throw notFetched(`no complete response within ${timeoutMs} ms`, seen);
    if (name === 'HTTPParserError') throw notFetched('the response is not valid HTTP', seen);
    const [, reason] = failures.find(([pattern]) => pattern.test(code)) ?? [];
    throw notFetched(reason ?? 'the connection failed', seen);
  };
