import type { Resolver } from 'node:dns/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { eventually } from '#testing';
import { type FetchPermit, FetchTooSlow } from './fetch.limiter.js';
import { fetched, createPermit } from './testing/fetched.js';
import { NameServer } from './testing/name-server.js';
import { TextureFetcher } from './texture.fetcher.js';

const problem = (code: string, detail: RegExp = /./) => ({
  kind: { code, status: 422 },
  detail: expect.stringMatching(detail),
});
const refused = problem('texture.address-refused');

const megabyte = Buffer.alloc(1024 * 1024, 1);
const packed = gzipSync(Buffer.alloc(100 * megabyte.length));

/** Bytes of the endless answer that were on their way. */
let sent = 0;

/** What the server of the tests answers, and what it was asked. */
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

/** What is written to whoever connects, as it is: what no server of Node's would say. */
const wrongAnswers: readonly (readonly [what: string, answer: string, detail: RegExp])[] = [
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', /not proper HTTP/],
  ['bytes without a head', '\x89PNG\r\n\x1a\n', /not proper HTTP/],
  ['a version that is none', 'HTTP/9.9 200 OK\r\n\r\nx', /not proper HTTP/],
  ['another protocol from now on', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n', /./],
  [
    'a head of a megabyte',
    `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1e6)}\r\n\r\n`,
    /the headers of the response are too long$/,
  ],
  [
    '10,000 headers',
    `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}\r\n`,
    /the headers of the response are too long$/,
  ],
  ['a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nx', /not proper HTTP/],
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
    'a chunk of no size',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffffff\r\nx',
    /not proper HTTP/,
  ],
  ['two places to go to', 'HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: /b\r\n\r\n', /HTTP 302/],
  ['no place to go to', 'HTTP/1.1 302 Found\r\n\r\n', /HTTP 302/],
];

/** What is said again and again, to the end of time. */
const endlessAnswers: readonly (readonly [what: string, start: string, again: string])[] = [
  ['the head, byte by byte', 'HTTP/1.1 200 OK\r\nx: ', 'x'],
  ['hints before the answer', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['a body, byte by byte', 'HTTP/1.1 200 OK\r\n\r\n', 'x'],
  ['chunks of a byte', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
  ['what a chunk is said to be', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1', ';x=y'],
  ['headers after the body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n', 'x: y\r\n'],
];

describe('fetching a texture', () => {
  let server: Server;
  let nameServer: NameServer;
  let resolver: Resolver;
  let port: number;
  let seen: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push({ url: request.url, headers: request.headers });
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
    seen = [];
  });

  const fetcherWithin = (timeoutMs = 20_000) =>
    new TextureFetcher({ allowedHosts: new Set([`127.0.0.1:${port}`]), timeoutMs, resolver });
  const addressOf = (path: string) => (path.startsWith('/') ? `http://127.0.0.1:${port}${path}` : path);
  const fetchFrom = (path: string, timeoutMs?: number) => fetched(fetcherWithin(timeoutMs), addressOf(path));

  it('gives the bytes, and says what it saw', async () => {
    await expect(fetchFrom('/ok')).resolves.toEqual({
      bytes: Buffer.from('image bytes'),
      seen: 'HTTP 200, 13 bytes',
    });
  });

  it('sends no cookie and no authorization, and wants nothing compressed', async () => {
    await fetchFrom('/ok');
    expect(seen[0]?.headers).not.toHaveProperty('cookie');
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
    expect(seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('follows a redirect', async () => {
    await expect(fetchFrom('/relative')).resolves.toMatchObject({ seen: 'HTTP 200, 13 bytes' });
    expect(seen.map(({ url }) => url)).toEqual(['/relative', '/ok']);
  });

  it('follows three redirects and no more', async () => {
    await expect(fetchFrom('/chain/3')).resolves.toMatchObject({ seen: 'HTTP 200, 13 bytes' });
    await expect(fetchFrom('/chain/4')).rejects.toMatchObject(problem('texture.not-fetched', /more than 3 redirects/));
    seen = [];
    await expect(fetchFrom('/loop')).rejects.toMatchObject(problem('texture.not-fetched', /more than 3 redirects/));
    expect(seen).toHaveLength(4);
  });

  it.each([
    ['/missing', 'texture.not-fetched', /HTTP 404, 8 bytes/],
    ['/no-content', 'texture.not-fetched', /HTTP 204, 0 bytes/],
    ['/empty', 'texture.empty', /HTTP 200, 0 bytes/],
    ['/announced', 'texture.too-large', /more than 20 MB/],
    ['/broken-off', 'texture.not-fetched', /HTTP 200, 40 bytes/],
  ])('refuses %s with %s', async (path, code, detail) => {
    await expect(fetchFrom(path)).rejects.toMatchObject(problem(code, detail));
  });

  it('cuts a stream off when it is over 20 MB', async () => {
    await expect(fetchFrom('/endless')).rejects.toMatchObject(
      problem('texture.too-large', /more than 20 MB.*HTTP 200/),
    );
  });

  it('outlives servers that end the connection while what they sent is stored slowly', async () => {
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

  it('gives up when the time is over while the pieces are stored slowly', async () => {
    const save = async (image: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const piece of image) await setTimeout(piece.length > 0 ? 50 : 0);
    };
    const fetching = fetcherWithin(300).fetch(addressOf('/dripping'), save, createPermit());
    await expect(fetching).rejects.toMatchObject(problem('texture.not-fetched', /within 300 ms/));
  });

  it('tells what hindered the storing as it is, and cuts the stream off', async () => {
    const full = new Error('the disk is full');
    const fetching = fetcherWithin().fetch(addressOf('/endless'), () => Promise.reject(full), createPermit());
    await expect(fetching).rejects.toBe(full);
    const begun = sent;
    await setTimeout(100);
    expect(sent - begun).toBeLessThan(2 * megabyte.length);
  });

  it('counts what comes, not what it could be unpacked to', async () => {
    const { bytes } = await fetchFrom('/packed');
    expect(bytes.equals(packed)).toBe(true);
  });

  it.each(['/silent', '/dripping', '/slow/1'])('gives up when the time is over: %s', async (path) => {
    await expect(fetchFrom(path, 300)).rejects.toMatchObject(problem('texture.not-fetched', /within 300 ms/));
  });

  it.each(['/silent', '/dripping', 'http://silent.test/'])('ends when its permit is given up: %s', async (path) => {
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

  it('reports a closed port in words for clients', async () => {
    const allowedHosts = new Set(['127.0.0.1']);
    const fetcher = new TextureFetcher({ allowedHosts, timeoutMs: 20_000, resolver });
    await expect(fetched(fetcher, 'http://127.0.0.1:1/')).rejects.toMatchObject(
      problem('texture.not-fetched', /^the image could not be fetched: the server is not reachable$/),
    );
  });

  it('rejects an unknown name as it does one of the network behind it', async () => {
    await expect(fetchFrom('http://unknown.test/')).rejects.toMatchObject(problem('texture.address-refused'));
  });

  it('gives up on a name server that says nothing', async () => {
    await expect(fetchFrom('http://silent.test/', 300)).rejects.toMatchObject(
      problem('texture.not-fetched', /within 300 ms/),
    );
  });

  describe('from a server that does not speak HTTP as it should', () => {
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

    it.each(wrongAnswers)('refuses %s', async (_what, answer, detail) => {
      const answered = fetchRaw((socket) => socket.end(answer, 'latin1'));
      await expect(answered).rejects.toMatchObject(problem('texture.not-fetched', detail));
    });

    it('takes what an old one sends to the end of the connection', async () => {
      const answered = fetchRaw((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\npicture'));
      await expect(answered).resolves.toMatchObject({ bytes: Buffer.from('image') });
    });

    it('believes a length that is less than what comes', async () => {
      const answered = fetchRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\npicture and more'));
      await expect(answered).resolves.toMatchObject({ bytes: Buffer.from('image') });
    });

    it.each(endlessAnswers)('gives up when the time is over, or sooner: %s', async (_what, start, again) => {
      const begun = performance.now();
      const answered = fetchRaw(
        (socket) => {
          socket.write(start);
          const timer = setInterval(() => socket.write(again), 20);
          socket.on('close', () => clearInterval(timer));
        },
        'http',
        300,
      );
      await expect(answered).rejects.toMatchObject(problem('texture.not-fetched'));
      expect(performance.now() - begun).toBeLessThan(20_000);
    });

    it('gives up on one that never says hello for TLS', async () => {
      const answered = fetchRaw(() => undefined, 'https', 300);
      await expect(answered).rejects.toMatchObject(problem('texture.not-fetched', /within 300 ms/));
    });
  });

  it('refuses the socket when the address changed behind the look-up', async () => {
    // The look-up found nothing wrong and the socket is connected inside: what a rebinding name server achieves
    const fetcher = new TextureFetcher({ allowedHosts: new Set(), timeoutMs: 20_000, resolver });
    await expect(connectedThrough(fetcher, port)).resolves.toMatchObject(refused);
  });
});

/** Lets the guarded connector connect to a local port as if the look-up had led there. */
function connectedThrough(fetcher: TextureFetcher, port: number): Promise<unknown> {
  const inside = fetcher as unknown as {
    publicLookup: () => unknown;
    guardedConnector: (
      permit: FetchPermit,
    ) => (options: object, callback: (error: unknown, socket: unknown) => void) => void;
  };
  inside.publicLookup = () => (_name: string, options: { all?: boolean }, callback: (...result: unknown[]) => void) =>
    options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
  return new Promise((resolve) => {
    const target = { hostname: 'rebound.test', host: 'rebound.test', protocol: 'http:', port: String(port) };
    inside.guardedConnector(createPermit())(target, (error, socket) => resolve(error ?? socket));
  });
}
