import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TextureFetcher } from './texture.fetcher.js';

const problem = (code: string, detail: RegExp = /./) => ({
  kind: { code, status: 422 },
  detail: expect.stringMatching(detail),
});
const refused = problem('texture.address-refused');

const megabyte = Buffer.alloc(1024 * 1024, 1);

/** What the server of the tests answers, and what it was asked. */
const routes: Record<string, RequestListener> = {
  '/ok': (_request, response) => response.end('picture bytes'),
  '/missing': (_request, response) => response.writeHead(404).end('not here'),
  '/empty': (_request, response) => response.end(),
  '/no-content': (_request, response) => response.writeHead(204).end(),
  '/announced': (_request, response) => response.writeHead(200, { 'content-length': 30 * 1024 * 1024 }).write('x'),
  '/endless': (_request, response) => {
    const pump = (): void => {
      while (!response.destroyed && response.write(megabyte));
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
    setTimeout(() => response.destroy(), 20);
  },
  '/relative': (_request, response) => response.writeHead(302, { location: 'ok' }).end(),
  '/to-loopback': (_request, response) => response.writeHead(302, { location: 'http://127.1/ok' }).end(),
  '/to-metadata': (_request, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
  '/to-name': (_request, response) => response.writeHead(302, { location: 'http://inside.test/ok' }).end(),
  '/to-file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/to-another-port': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:22/' }).end(),
  '/loop': (_request, response) => response.writeHead(301, { location: '/loop' }).end(),
};

/** A name server: answers A questions by a table, in turns when a name has several lists; there is nothing of another type. */
function answer(question: Buffer, addresses: readonly string[]): Buffer {
  const type = question.readUInt16BE(question.indexOf(0, 12) + 1);
  const records = type === 1 ? addresses : [];
  const head = Buffer.from(question.subarray(0, question.indexOf(0, 12) + 5));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([
    head,
    ...records.map((it) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...it.split('.').map(Number)])),
  ]);
}

const names: Record<string, string[]> = {
  'inside.test': ['127.0.0.1'],
  'private.test': ['10.0.0.1'],
  'mixed.test': ['8.8.8.8', '127.0.0.1'],
};

const nameOf = (question: Buffer): string => {
  const labels: string[] = [];
  for (let at = 12; question[at] !== 0; at += question[at]! + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!));
  }
  return labels.join('.');
};

describe('fetching a texture', () => {
  let server: Server;
  let nameServer: Socket;
  let port: number;
  let seen: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = [];
  const resolver = new dns.Resolver({ timeout: 500, tries: 1 });

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push({ url: request.url, headers: request.headers });
      (routes[request.url!] ?? routes['/missing']!)(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    nameServer = createSocket('udp4');
    nameServer.on('message', (question, { port: asker, address }) => {
      nameServer.send(answer(question, names[nameOf(question)] ?? []), asker, address);
    });
    await new Promise<void>((resolve) => nameServer.bind(0, '127.0.0.1', resolve));
    resolver.setServers([`127.0.0.1:${nameServer.address().port}`]);
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    nameServer.close();
  });

  beforeEach(() => {
    seen = [];
  });

  const fetchFrom = (path: string, timeoutMs = 5_000) =>
    new TextureFetcher({ allowedHosts: new Set([`127.0.0.1:${port}`]), timeoutMs, resolver }).fetch(
      path.startsWith('/') ? `http://127.0.0.1:${port}${path}` : path,
    );

  it('gives the bytes, and says what it saw', async () => {
    await expect(fetchFrom('/ok')).resolves.toEqual({
      bytes: Buffer.from('picture bytes'),
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

  it.each(['/to-loopback', '/to-metadata', '/to-file', '/to-another-port', '/to-name'])(
    'refuses a redirect to the inside: %s',
    async (path) => {
      await expect(fetchFrom(path)).rejects.toMatchObject(refused);
      expect(seen.map(({ url }) => url)).toEqual([path]);
    },
  );

  it('follows three redirects and no more', async () => {
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
      problem('texture.too-large', /HTTP 200, 2[01]\d{6} bytes/),
    );
  });

  it.each(['/silent', '/dripping'])('gives up when the time is over: %s', async (path) => {
    const begun = performance.now();
    await expect(fetchFrom(path, 300)).rejects.toMatchObject(problem('texture.not-fetched', /within 300 ms/));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('says when nobody listens', async () => {
    const allowedHosts = new Set(['127.0.0.1']);
    const fetcher = new TextureFetcher({ allowedHosts, timeoutMs: 2_000, resolver });
    await expect(fetcher.fetch('http://127.0.0.1:1/')).rejects.toMatchObject(
      problem('texture.not-fetched', /ECONNREFUSED.*0 bytes/),
    );
  });

  it.each([
    'http://inside.test/',
    'http://private.test/',
    'https://inside.test/',
    'http://mixed.test/',
    'http://localhost/',
  ])('refuses a name that leads inside: %s', async (url) => {
    await expect(fetchFrom(url)).rejects.toMatchObject(refused);
  });

  it('refuses a name that nobody knows', async () => {
    await expect(fetchFrom('http://unknown.test/')).rejects.toMatchObject(problem('texture.not-fetched', /0 bytes/));
  });

  it('refuses the socket when the address changed behind the look-up', async () => {
    // The look-up found nothing wrong and the socket is connected inside: what a rebinding name server achieves
    const fetcher = new TextureFetcher({ allowedHosts: new Set(), timeoutMs: 2_000, resolver });
    await expect(connectedThrough(fetcher, port)).resolves.toMatchObject(refused);
  });
});

/** Lets the guarded connector connect to a local port as if the look-up had led there. */
function connectedThrough(fetcher: TextureFetcher, port: number): Promise<unknown> {
  const inside = fetcher as unknown as {
    publicLookup: () => unknown;
    guardedConnector: () => (options: object, callback: (error: unknown, socket: unknown) => void) => void;
  };
  inside.publicLookup = () => (_name: string, options: { all?: boolean }, callback: (...result: unknown[]) => void) =>
    options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
  return new Promise((resolve) => {
    const target = { hostname: 'rebound.test', host: 'rebound.test', protocol: 'http:', port: String(port) };
    inside.guardedConnector()(target, (error, socket) => resolve(error ?? socket));
  });
}
