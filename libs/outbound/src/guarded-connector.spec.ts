import { lookup, type LookupAddress, promises as dns } from 'node:dns';
import { type AddressInfo, createServer, type Server, Socket, type TcpNetConnectOpts } from 'node:net';
import { jest } from '@jest/globals';
import type { buildConnector } from 'undici';
import { internalHostNames, NameServer } from '#testing';
import { AddressNotAllowed } from './address-not-allowed.js';
import { guardedConnector } from './guarded-connector.js';

type ConnectorOptions = Parameters<typeof guardedConnector>[0];

// In a public range. No test sends data there, see `resolveOnly`
const publicAddresses = ['2d00::1', '2d00::2'] as const;

const records = {
  ...internalHostNames,
  'public.test': [...publicAddresses],
  'rebinding.test': [[publicAddresses[0]], ['127.0.0.1', '::1']],
  'nothing.test': [],
};

describe('guardedConnector', () => {
  const accepted = new Set<Socket>();
  let server: Server;
  let port: number;
  let nameServer: NameServer;
  let resolver: dns.Resolver;
  let attempts: jest.SpiedFunction<Socket['connect']>;
  let connected: string[];

  beforeAll(async () => {
    server = createServer((socket) => {
      accepted.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    nameServer = await NameServer.start(records);
    resolver = nameServer.resolver();
    attempts = jest.spyOn(Socket.prototype, 'connect');
  });

  beforeEach(() => {
    attempts.mockClear();
    connected = [];
  });

  afterAll(() => {
    attempts.mockRestore();
    // An open socket would prevent the close of the server
    for (const socket of accepted) socket.destroy();
    server.close();
    nameServer.close();
  });

  /** Connects to a host, and returns the socket, or the error of the connection. */
  const connect = (hostname: string, options: Partial<ConnectorOptions> = {}): Promise<Socket | Error> => {
    const connector = guardedConnector({
      allowedHosts: new Set(),
      timeoutMs: 20_000,
      resolver,
      onConnected: (address) => connected.push(address),
      ...options,
    });
    const target: buildConnector.Options = { hostname, host: hostname, protocol: 'http:', port: String(port) };
    return new Promise((resolve) => connector(target, (error, socket) => resolve(error ?? socket)));
  };

  const rejected = expect.any(AddressNotAllowed);

  it('connects to an allowed host and port, and reports its address', async () => {
    const socket = await connect('127.0.0.1', { allowedHosts: new Set([`127.0.0.1:${port}`]) });
    expect(socket).toBeInstanceOf(Socket);
    (socket as Socket).destroy();
    expect(connected).toEqual(['127.0.0.1']);
  });

  it('rejects another port of an allowed host', async () => {
    expect(await connect('127.0.0.1', { allowedHosts: new Set([`127.0.0.1:${port + 1}`]) })).toEqual(rejected);
  });

  it.each(['127.0.0.1', '[::1]', '::1', '[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254'])(
    'does not connect to an internal address: %s',
    async (address) => {
      expect(await connect(address)).toEqual(rejected);
      expect(attempts).not.toHaveBeenCalled();
    },
  );

  it.each(Object.keys(internalHostNames))('does not connect to a name with an internal address: %s', async (name) => {
    expect(await connect(name)).toEqual(rejected);
    expect(connected).toEqual([]);
  });

  it('rejects an unknown name and a name without an address with the error of an internal name', async () => {
    const errors = await Promise.all(['loopback.test', 'unknown.test', 'nothing.test'].map((name) => connect(name)));
    expect(errors).toEqual([rejected, rejected, rejected]);
    expect(new Set(errors.map((error) => (error as Error).message)).size).toBe(1);
  });

  it('times out when the name server does not respond', async () => {
    // The resolver's own timeout follows the latency of earlier replies, and is 250 ms at least
    expect(await connect('silent.test', { timeoutMs: 100 })).toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
  });

  it('fails with the error of a name server that is not reachable', async () => {
    const closed = new dns.Resolver({ timeout: 1_000, tries: 1 });
    closed.setServers(['127.0.0.1:1']);
    expect(await connect('public.test', { resolver: closed })).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('connects to the addresses that it has checked, without a further query', async () => {
    const lookedUp: unknown[] = [];
    attempts.mockImplementationOnce(resolveOnly(lookedUp));
    expect(await connect('public.test')).toMatchObject({ code: 'ENETUNREACH' });
    expect(lookedUp).toEqual(publicAddresses.map((address) => ({ address, family: 6 })));
  });

  it('resolves a name for each connection, and rejects it once it has an internal address', async () => {
    attempts.mockImplementationOnce(resolveOnly([]));
    expect(await connect('rebinding.test')).toMatchObject({ code: 'ENETUNREACH' });
    expect(await connect('rebinding.test')).toEqual(rejected);
  });

  it('rejects and closes the socket when the address changed after the lookup', async () => {
    const sockets: Socket[] = [];
    attempts.mockImplementationOnce(function (this: Socket, ...args: unknown[]) {
      const [[options]] = args as [[TcpNetConnectOpts]];
      options.lookup = (_name, lookupOptions, callback) => lookup('127.0.0.1', lookupOptions, callback);
      sockets.push(this);
      return this.connect(...(args as Parameters<Socket['connect']>));
    });
    expect(await connect('public.test')).toEqual(rejected);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(connected).toEqual([]);
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
