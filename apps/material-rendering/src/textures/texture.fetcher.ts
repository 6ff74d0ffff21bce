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
  /** For the whole fetch, redirects included, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Asks the DNS without a thread of the pool: `dns.lookup` would hold one of the four threads that all decoding and
   * encoding needs for as long as somebody's name server wishes.
   */
  readonly resolver?: dns.Resolver;
}

/** Stores the bytes of an image as they come. */
type Save = (image: AsyncIterable<Uint8Array>) => Promise<void>;

// An answer that is read slowly is buffered, and never paused: undici 7.30 crashes the process when a server ends the
// connection just then (nodejs/undici#5360). No answer gets so long that it would be
const neverPaused = { highWaterMark: 2 * textureLimits.bytes };
const longestAnswer = textureLimits.bytes;

const redirects = new Set([301, 302, 303, 307, 308]);
const maximumRedirects = 3;
// Enough to say how long an error page was; the rest of it is nobody's business
const errorPageBytes = 64 * 1024;

const headers = {
  accept: 'image/png, image/jpeg, image/webp, image/avif, image/gif, image/*;q=0.1',
  // Not compressed: bytes are counted as they arrive, so nothing may grow after the count
  'accept-encoding': 'identity',
  'user-agent': 'storefront-texture-fetcher/1',
};

/** Fetches textures from the public internet, and from nowhere else. */
export class TextureFetcher {
  private readonly resolver: dns.Resolver;

  constructor(private readonly options: FetcherOptions) {
    this.resolver = options.resolver ?? new dns.Resolver({ timeout: 2_000, tries: 2 });
  }

  /**
   * Returns the host of an address before anything is asked of it.
   *
   * @throws DomainError `texture.address-refused`
   */
  hostnameOf(address: string): string {
    return textureUrl(address, this.options.allowedHosts).hostname;
  }

  /**
   * Hands the bytes over as they come, so that no more of an image is in memory than waits for the disk. What is not to
   * be kept ends them with an error.
   *
   * @returns what to tell about the bytes in a refusal: `HTTP 200, 1234 bytes`
   * @throws DomainError `texture.address-refused`, `texture.not-fetched`, `texture.too-large`, `texture.empty`
   * @throws DomainError `service.overloaded` when the permit is given to another fetch
   * @throws what `save` throws of its own
   */
  async fetch(address: string, save: Save, permit: FetchPermit): Promise<string> {
    let url = textureUrl(address, this.options.allowedHosts);
    const signal = AbortSignal.any([AbortSignal.timeout(this.options.timeoutMs), permit.signal]);
    // One agent for one fetch: no connection, and nothing that a server said, is ever used for another client's address
    const agent = new Agent({ connect: this.guardedConnector(permit), pipelining: 0, maxResponseSize: longestAnswer });
    // undici 7.30 looks at the signal of a request only when it is connected
    signal.addEventListener('abort', () => void agent.destroy(signal.reason as Error), { once: true });
    try {
      for (let hop = 0; ; hop += 1) {
        const response = await request(url, { dispatcher: agent, signal, headers, ...neverPaused }).catch(
          toNotFetched(this.options),
        );
        const location = redirects.has(response.statusCode) ? response.headers.location : undefined;
        if (typeof location !== 'string') return await this.read(response, save, permit);
        response.body.on('error', () => undefined).destroy();
        if (hop === maximumRedirects) throw notFetched(`more than ${maximumRedirects} redirects`);
        url = textureUrl(location, this.options.allowedHosts, url.href);
      }
    } finally {
      agent.destroy().catch(() => undefined);
    }
  }

  private async read(
    { statusCode, headers: answered, body }: Dispatcher.ResponseData,
    save: Save,
    permit: FetchPermit,
  ): Promise<string> {
    const { options } = this;
    // The permit counts what the server sends, however slowly it is stored
    body.on('data', ({ length }: Buffer) => permit.add(length)).on('end', () => permit.complete());
    const arriving = pipeline(body, new PassThrough(neverPaused), () => undefined);
    let count = 0;
    const seen = (): string => `HTTP ${statusCode}, ${count} bytes`;
    async function* upTo(limit: number): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of arriving as AsyncIterable<Buffer>) {
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
        throw notFetched('the server did not answer with an image', seen());
      }
      if (Number(answered['content-length']) > textureLimits.bytes) throw overLimit(`HTTP ${statusCode}`);
      await save(image());
      return seen();
    } finally {
      body.destroy();
    }
  }

  /**
   * Connects to public addresses only. Checked are literals, which never reach a look-up; every address that the DNS
   * answers; and the address that the socket is connected to in the end, which leaves nothing for a second, different
   * answer of a hostile name server.
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
        callback(outside(), null);
        return;
      }
      guarded(options, (...[error, socket]) => {
        if (error) callback(error, null);
        else if (isPublicAddress(socket.remoteAddress ?? '')) callback(null, socket);
        else {
          socket.destroy();
          callback(outside(), null);
        }
      });
    };
  }

  private publicLookup(): LookupFunction {
    return (hostname, options, callback) => {
      this.resolve(hostname).then(
        (addresses) => {
          const [first] = addresses;
          if (first === undefined) callback(outside(), '');
          else if (options.all) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
      );
    };
  }

  /**
   * The public addresses of a name. A name that is unknown, has no address or leads inside is rejected with one text, after
   * both questions have been answered: the caller must not learn which names the network behind this process has.
   */
  private async resolve(hostname: string): Promise<{ address: string; family: 4 | 6 }[]> {
    const [four, six] = await Promise.allSettled([this.resolver.resolve4(hostname), this.resolver.resolve6(hostname)]);
    if (four.status === 'rejected' && six.status === 'rejected')
      throw [four.reason, six.reason].find((reason) => !isWithoutAddress(reason)) ?? outside();
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 as const })),
      ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 as const })),
    ];
    // One bad address spoils the name: a public one beside it is how a look-up is fooled
    if (!addresses.every(({ address }) => isPublicAddress(address))) throw outside();
    return addresses;
  }
}

/** Whether the DNS has answered, and has no address of the name. */
const isWithoutAddress = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '');

const overLimit = (seen: string): DomainError => tooLarge(`more than ${textureLimits.bytes / 1024 / 1024} MB`, seen);
const outside = (): DomainError => addressRejected('it is not on the public internet');

/** Error codes of connections, of the resolver, of TLS and of undici, in words for clients. */
const failures: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'the headers of the response are too long'],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, 'the response is not as long as its Content-Length'],
  [/CERT|^ERR_TLS_|^UNABLE_TO_|^HOSTNAME_MISMATCH$/, 'the certificate of the server is not valid'],
  [/^(?:EPROTO$|ERR_SSL_)/, 'the server does not speak TLS as it should'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the server closed the connection'],
  [/^E(?:CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT)$/, 'the server is not reachable'],
  [/^E(?:SERVFAIL|REFUSED|TIMEOUT|BADRESP|FORMERR|NOTIMP)$/, 'its host name could not be resolved'],
];

/** Turns an error below HTTP into a problem. Its sentence names neither addresses nor codes. */
const toNotFetched =
  ({ timeoutMs }: FetcherOptions, seen?: string) =>
  (error: unknown): never => {
    if (error instanceof DomainError) throw error;
    if (error instanceof FetchTooSlow) throw notFetched(error.message, seen);
    const { name, code = '' } = error as { name?: string; code?: string };
    if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT')
      throw notFetched(`no complete response within ${timeoutMs} ms`, seen);
    if (name === 'HTTPParserError') throw notFetched('the response is not proper HTTP', seen);
    const [, reason] = failures.find(([pattern]) => pattern.test(code)) ?? [];
    throw notFetched(reason ?? 'the connection failed', seen);
  };
