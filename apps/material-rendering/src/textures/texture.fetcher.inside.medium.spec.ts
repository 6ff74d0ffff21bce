import type { LookupAddress } from 'node:dns';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, Socket, type TcpNetConnectOpts } from 'node:net';
import { jest } from '@jest/globals';
import type { DomainError } from '#kernel';
import { disallowedUrls, internalHostNames, internalUrls, NameServer } from '#testing';
import { fetched } from './testing/fetched.js';
import { TextureFetcher } from './texture.fetcher.js';

const rejected = { kind: { code: 'texture.address-refused', status: 422 } };

/** Internal addresses that a texture must not be fetched from. */
const internalEndpoints = ['127.0.0.1', '::1'].flatMap((address) => [80, 443, 0].map((port) => ({ address, port })));

/** In a public range. No test sends data there, see `resolveOnly`. */
const publicAddress = '2d00::1';

const rebinding = {
  'rebinding.test': [[publicAddress], ['127.0.0.1', '::1']],
  'rebinding-6.test': [[publicAddress], ['::1']],
};

describe('the internal network', () => {
  const listeners: Server[] = [];
  let connected = 0;
  let nameServer: NameServer;
  let redirecting: HttpServer;
  let host: string;
  let redirectTo: { readonly status: number; readonly location: string };
  let attempts: jest.SpiedFunction<Socket['connect']>;
  let fetcher: TextureFetcher;

  beforeAll(async () => {
    for (const { address, port } of internalEndpoints) {
      const listener = createServer((socket) => {
        connected += 1;
        socket.destroy();
      });
      const isListening = await new Promise((resolve) => {
        listener.once('error', () => resolve(false)).listen(port, address, () => resolve(true));
      });
      // Low ports can be in use or forbidden, and IPv6 can be missing: connection attempts are
      // counted too
      if (isListening === true) listeners.push(listener);
    }
    nameServer = await NameServer.start({ ...internalHostNames, ...rebinding, 'nothing.test': [] });
    redirecting = createHttpServer((_request, response) => {
      response.writeHead(redirectTo.status, { location: redirectTo.location }).end();
    });
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    fetcher = new TextureFetcher({
      allowedHosts: new Set([host]),
      timeoutMs: 20_000,
      resolver: nameServer.resolver(),
    });
    attempts = jest.spyOn(Socket.prototype, 'connect');
  });

  beforeEach(() => {
    connected = 0;
    attempts.mockClear();
  });

  afterAll(() => {
    attempts.mockRestore();
    nameServer.close();
    for (const server of [...listeners, redirecting]) server.close();
  });

  it('has listeners on internal addresses', () => {
    expect(listeners.length).toBeGreaterThan(0);
  });

  it.each([...internalUrls, ...disallowedUrls.map(([, url]) => url)])(
    'is not connected to by address: %j',
    async (url) => {
      await expect(fetched(fetcher, url)).rejects.toMatchObject(rejected);
      expect([connected, attempts.mock.calls.length]).toEqual([0, 0]);
    },
  );

  const names = Object.keys(internalHostNames);

  it.each([...names, 'LoopBack.Test', 'loopback.test.'])('is not connected to by name: %s', async (name) => {
    for (const protocol of ['http', 'https']) {
      await expect(fetched(fetcher, `${protocol}://${name}/`)).rejects.toMatchObject(rejected);
    }
    expect(connected).toBe(0);
  });

  it('causes the same error as names that are unknown or have no address', async () => {
    const names = ['loopback.test', 'loopback-6.test', 'unknown.test', 'nothing.test'];
    const rejections = names.map((name) => fetched(fetcher, `http://${name}/`).catch((error: unknown) => error));
    const [first, ...others] = (await Promise.all(rejections)).map((error) => (error as DomainError).body());
    expect(first).toMatchObject({ code: 'texture.address-refused' });
    for (const other of others) expect(other).toEqual(first);
  });

  it.each(Object.keys(rebinding))(
    'is not connected to by a name that resolves to another address in the second query: %s',
    async (name) => {
      const lookedUp: unknown[] = [];
      attempts.mockImplementationOnce(resolveOnly(lookedUp));
      await expect(fetched(fetcher, `http://${name}/`)).rejects.toMatchObject({
        kind: { code: 'texture.not-fetched' },
        detail: expect.stringContaining('the server is not reachable'),
      });
      expect(lookedUp).toEqual([{ address: publicAddress, family: 6 }]);
      await expect(fetched(fetcher, `http://${name}/`)).rejects.toMatchObject(rejected);
      expect(connected).toBe(0);
    },
  );

  describe.each([301, 302, 303, 307, 308])('by a redirect with %i', (status) => {
    const port = (): number => (listeners.at(-1)!.address() as AddressInfo).port;

    it.each([
      'http://127.0.0.1/',
      'https://127.0.0.1/',
      'http://127.1/',
      'http://[::1]/',
      'http://[::ffff:7f00:1]/',
      '//127.0.0.1/',
      '\\\\127.0.0.1\\',
      'http://169.254.169.254/latest/meta-data/',
      'http://loopback.test/',
      'https://loopback-6.test/',
      'http://user:secret@8.8.8.8/',
      'http://8.8.8.8:6379/',
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/_INFO',
      'ftp://127.0.0.1/',
      'data:image/png;base64,iVBORw0KGgo=',
      'http://127.0.0.1:{port}/',
      'http://localhost:{port}/',
      'http://[',
    ])('is not connected to: %s', async (location) => {
      redirectTo = { status, location: location.replace('{port}', String(port())) };
      await expect(fetched(fetcher, `http://${host}/`)).rejects.toMatchObject(rejected);
      expect(connected).toBe(0);
    });
  });
});

/** Replaces `connect`: looks the name up, and then fails as if the address were not reachable. */
const resolveOnly = (lookedUp: unknown[]) =>
  function connect(this: Socket, ...args: unknown[]): Socket {
    const [[options]] = args as [[TcpNetConnectOpts]];
    options.lookup!(options.host!, { all: true }, (error, addresses) => {
      lookedUp.push(...(addresses as LookupAddress[]));
      this.destroy(error ?? Object.assign(new Error('unreachable'), { code: 'ENETUNREACH' }));
    });
    return this;
  };
