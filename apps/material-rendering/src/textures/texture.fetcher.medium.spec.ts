import type { Resolver } from 'node:dns/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { collectGarbage, eventually, NameServer } from '#testing';
import { FetchTooSlow } from './fetch.limiter.js';
import { fetched, createPermit } from './testing/fetched.js';
import { TextureFetcher } from './texture.fetcher.js';

const problem = (code: string, detail: RegExp = /./) => ({
  kind: { code, status: 422 },
  detail: expect.stringMatching(detail),
});

const megabyte = Buffer.alloc(1024 * 1024, 1);
const packed = gzipSync(Buffer.alloc(100 * megabyte.length));

/** Bytes of the endless response that the server has written. */
let sent = 0;

/** Routes of the test server. */
const routes: Record<string, RequestListener> = {
  '/ok': (_request, response) => response.end('image bytes'),
  '/missing': (_request, response) => response.writeHead(404).end('not here'),
  '/empty': (_request, response) => response.end(),
  '/no-content': (_request, response) => response.writeHead(204).end(),
  '/announced': (_request, response) => response.writeHead(200, { 'content-length': 30 * 1024 * 1024 }).write('x'),
  '/endless': (_request, response) => {
    const pump = (): void => {
      for (let more = true; more && !response.destroyed; sent += megabyte.length) more = response.write(megabyte);
    };
    response.on('drain', pump);
    pump();
  },
  '/silent': () => undefined,
  '/dripping': (_request, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/broken-off': (_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('x'.repeat(40));
    void setTimeout(20).then(() => response.destroy());
  },
  '/relative': (_request, response) => response.writeHead(302, { location: 'ok' }).end(),
  '/chain/1': (_request, response) => response.writeHead(308, { location: '/ok' }).end(),
  '/chain/2': (_request, response) => response.writeHead(303, { location: '/chain/1' }).end(),
  '/chain/3': (_request, response) => response.writeHead(307, { location: '/chain/2' }).end(),
  '/chain/4': (_request, response) => response.writeHead(301, { location: '/chain/3' }).end(),
  '/slow/1': (_request, response) =>
    void setTimeout(200).then(() => response.writeHead(302, { location: '/slow/2' }).end()),
  '/slow/2': (_request, response) => void setTimeout(200).then(() => response.end('x')),
  '/packed': (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
  '/loop': (_request, response) => response.writeHead(301, { location: '/loop' }).end(),
};

/** Raw invalid responses, which a server of Node.js cannot send. */
const invalidResponses: readonly (readonly [what: string, response: string, detail: RegExp])[] = [
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', /not valid HTTP/],
  ['bytes without headers', '\x89PNG\r\n\x1a\n', /not valid HTTP/],
  ['an invalid version', 'HTTP/9.9 200 OK\r\n\r\nx', /not valid HTTP/],
  ['a protocol switch', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n', /./],
  [
    'headers of a megabyte',
    `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1e6)}\r\n\r\n`,
    /the headers of the response are too long$/,
  ],
  [
    '10,000 headers',
    `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}\r\n`,
    /the headers of the response are too long$/,
  ],
  ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nx', /not valid HTTP/],
  [
    'two lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 9\r\n\r\nx',
    /not as long as its Content-Length/,
  ],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    /not as long as its Content-Length/,
  ],
  [
    'a chunk size that is too large',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffffff\r\nx',
    /not valid HTTP/,
  ],
  ['two redirect locations', 'HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: /b\r\n\r\n', /HTTP 302/],
  ['a redirect without a location', 'HTTP/1.1 302 Found\r\n\r\n', /HTTP 302/],
];

/** Responses that never end. `again` is sent repeatedly. */
const endlessResponses: readonly (readonly [what: string, start: string, again: string])[] = [
  ['the headers, byte by byte', 'HTTP/1.1 200 OK\r\nx: ', 'x'],
  ['informational responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['a body, byte by byte', 'HTTP/1.1 200 OK\r\n\r\n', 'x'],
  ['chunks of a byte', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
  ['a chunk extension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1', ';x=y'],
  ['headers after the body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n', 'x: y\r\n'],
];

describe('TextureFetcher', () => {
  let server: Server;
  let nameServer: NameServer;
  let resolver: Resolver;
  let port: number;
  let requests: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push({ url: request.url, headers: request.headers });
      (routes[request.url!] ?? routes['/missing']!)(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    nameServer = await NameServer.start({});
    resolver = nameServer.resolver();
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    nameServer.close();
  });

  beforeEach(() => {
    sent = 0;
    requests = [];
  });

  const fetcherWithin = (timeoutMs = 20_000) =>
    new TextureFetcher({ allowedHosts: new Set([`127.0.0.1:${port}`]), timeoutMs, resolver });
  const addressOf = (path: string) => (path.startsWith('/') ? `http://127.0.0.1:${port}${path}` : path);
  const fetchFrom = (path: string, timeoutMs?: number) => fetched(fetcherWithin(timeoutMs), addressOf(path));

  it('returns the bytes and a description of the response', async () => {
    await expect(fetchFrom('/ok')).resolves.toEqual({
      bytes: Buffer.from('image bytes'),
      seen: 'HTTP 200, 11 bytes',
    });
  });

  it('sends no cookie and no authorization, and requests no compression', async () => {
    await fetchFrom('/ok');
    expect(requests[0]?.headers).not.toHaveProperty('cookie');
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
    expect(requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('follows a redirect', async () => {
    await expect(fetchFrom('/relative')).resolves.toMatchObject({ seen: 'HTTP 200, 11 bytes' });
    expect(requests.map(({ url }) => url)).toEqual(['/relative', '/ok']);
  });

  it('follows at most three redirects', async () => {
    await expect(fetchFrom('/chain/3')).resolves.toMatchObject({ seen: 'HTTP 200, 11 bytes' });
    await expect(fetchFrom('/chain/4')).rejects.toMatchObject(problem('texture.not-fetched', /more than 3 redirects/));
    requests = [];
    await expect(fetchFrom('/loop')).rejects.toMatchObject(problem('texture.not-fetched', /more than 3 redirects/));
    expect(requests).toHaveLength(4);
  });

  it.each([
    ['/missing', 'texture.not-fetched', /HTTP 404, 8 bytes/],
    ['/no-content', 'texture.not-fetched', /HTTP 204, 0 bytes/],
    ['/empty', 'texture.empty', /HTTP 200, 0 bytes/],
    ['/announced', 'texture.too-large', /more than 20 MB/],
    ['/broken-off', 'texture.not-fetched', /HTTP 200, 40 bytes/],
  ])('rejects %s with %s', async (path, code, detail) => {
    await expect(fetchFrom(path)).rejects.toMatchObject(problem(code, detail));
  });

  it('aborts a response over 20 MB', async () => {
    await expect(fetchFrom('/endless')).rejects.toMatchObject(
      problem('texture.too-large', /more than 20 MB.*HTTP 200/),
    );
  });

  it('stores a complete response although the disk is slower than the server', async () => {
    const fetching = Array.from({ length: 4 }, async () => {
      let count = 0;
      const save = async (image: AsyncIterable<Uint8Array>): Promise<void> => {
        for await (const piece of image) {
          count += piece.length;
          await setTimeout(200);
        }
      };
      const seen = await fetcherWithin().fetch(addressOf('/packed'), save, createPermit());
      expect([count, seen]).toEqual([packed.length, `HTTP 200, ${packed.length} bytes`]);
    });
    await Promise.all(fetching);
  });

  it('times out while storing is slow', async () => {
    const save = async (image: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const piece of image) await setTimeout(piece.length > 0 ? 50 : 0);
    };
    const fetching = fetcherWithin(300).fetch(addressOf('/dripping'), save, createPermit());
    await expect(fetching).rejects.toMatchObject(problem('texture.not-fetched', /within 300 ms/));
  });

  it('throws the error of storing unchanged, and aborts the response', async () => {
    const full = new Error('the disk is full');
    const fetching = fetcherWithin().fetch(addressOf('/endless'), () => Promise.reject(full), createPermit());
    await expect(fetching).rejects.toBe(full);
    const sentBefore = sent;
    await setTimeout(100);
    expect(sent - sentBefore).toBeLessThan(2 * megabyte.length);
  });

  it('returns the received bytes without decompressing them', async () => {
    const { bytes } = await fetchFrom('/packed');
    expect(bytes.equals(packed)).toBe(true);
  });

  it.each(['/silent', '/dripping', '/slow/1'])('times out: %s', async (path) => {
    const fetching = fetchFrom(path, 300);
    void setTimeout(100).then(collectGarbage);
    await expect(fetching).rejects.toMatchObject(problem('texture.not-fetched', /within 300 ms/));
  });

  it.each(['/silent', '/dripping', 'http://silent.test/'])('ends when its permit is revoked: %s', async (path) => {
    const permit = createPermit();
    const fetching = fetched(fetcherWithin(), addressOf(path), permit);
    void setTimeout(300).then(() => permit.abort(new FetchTooSlow()));
    await expect(fetching).rejects.toMatchObject(
      problem('texture.not-fetched', /less than 16384 bytes a second(?: \(HTTP 200, \d+ bytes\))?$/),
    );
  });

  it('reports the rate of the server and its network to the permit', async () => {
    const permit = createPermit();
    const fetching = fetched(fetcherWithin(), addressOf('/dripping'), permit);
    permit.tick();
    await eventually('the first bytes', () => permit.rate > 2);
    permit.abort(new FetchTooSlow());
    await expect(fetching).rejects.toMatchObject(problem('texture.not-fetched'));
    expect(permit.server).toBe('127.0.0.1');
    expect(permit.rate).toBeLessThan(60);
    const whole = createPermit();
    await fetched(fetcherWithin(), addressOf('/ok'), whole);
    whole.tick();
    expect(whole.rate).toBe(Infinity);
  });

  it('reports a closed port in a message for clients', async () => {
    const allowedHosts = new Set(['127.0.0.1']);
    const fetcher = new TextureFetcher({ allowedHosts, timeoutMs: 20_000, resolver });
    await expect(fetched(fetcher, 'http://127.0.0.1:1/')).rejects.toMatchObject(
      problem('texture.not-fetched', /^the image could not be fetched: the server is not reachable$/),
    );
  });

  it('rejects an unknown name with the same code as an internal name', async () => {
    await expect(fetchFrom('http://unknown.test/')).rejects.toMatchObject(problem('texture.address-refused'));
  });

  it('times out when the name server does not respond', async () => {
    await expect(fetchFrom('http://silent.test/', 100)).rejects.toMatchObject(
      problem('texture.not-fetched', /within 100 ms/),
    );
  });

  describe('with a server that violates HTTP or TLS', () => {
    const fetchRaw = async (serve: (socket: Socket) => void, protocol = 'http', timeoutMs = 20_000) => {
      const raw = createRawServer((socket) => serve(socket.on('error', () => undefined)));
      await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
      const host = `127.0.0.1:${(raw.address() as AddressInfo).port}`;
      const fetcher = new TextureFetcher({ allowedHosts: new Set([host]), timeoutMs, resolver });
      try {
        return await fetched(fetcher, `${protocol}://${host}/`);
      } finally {
        raw.close();
      }
    };

    it.each(invalidResponses)('rejects %s', async (_what, response, detail) => {
      const fetching = fetchRaw((socket) => socket.end(response, 'latin1'));
      await expect(fetching).rejects.toMatchObject(problem('texture.not-fetched', detail));
    });

    it('accepts an HTTP/1.0 response without a length', async () => {
      const fetching = fetchRaw((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nimage'));
      await expect(fetching).resolves.toMatchObject({ bytes: Buffer.from('image') });
    });

    it('ignores bytes beyond the Content-Length', async () => {
      const fetching = fetchRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nimage and more'));
      await expect(fetching).resolves.toMatchObject({ bytes: Buffer.from('image') });
    });

    it.each(endlessResponses)('times out or fails earlier: %s', async (_what, start, again) => {
      const startedAt = performance.now();
      const fetching = fetchRaw(
        (socket) => {
          socket.write(start);
          const timer = setInterval(() => socket.write(again), 20);
          socket.on('close', () => clearInterval(timer));
        },
        'http',
        300,
      );
      await expect(fetching).rejects.toMatchObject(problem('texture.not-fetched'));
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    });

    it('times out during the TLS handshake', async () => {
      const fetching = fetchRaw(() => undefined, 'https', 300);
      await expect(fetching).rejects.toMatchObject(problem('texture.not-fetched', /within 300 ms/));
    });
  });
});
