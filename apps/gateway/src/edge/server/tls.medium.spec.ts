import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, getCiphers } from 'node:tls';
import { RawReply } from '#request-queue';
import { eventually, testCertificate, type TestCertificate } from '#testing';
import { GatewayStack } from '../../testing/gateway-stack.js';
import { RawClient } from '../../testing/raw-client.js';
import { GracefulShutdown } from '../connections/graceful-shutdown.js';
import type { EdgeTimes } from './edge-times.js';

const items = '/api/v1/items';
const slow = '/api/v1/products/1';
const root = testCertificate('root', { isCa: true });
const between = testCertificate('between', { issuer: root, isCa: true });
const first = testCertificate('first', { issuer: between });
const second = testCertificate('second', { issuer: between });

let stack: GatewayStack;
let release: () => void;
let released: Promise<void>;
let requestCount = 0;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'items.list': () => RawReply.json('{"items":[]}'),
    'products.get': async () => {
      requestCount += 1;
      await released;
      return RawReply.json('{"product":{}}');
    },
  });
});
beforeEach(() => {
  requestCount = 0;
  stack.logged.length = 0;
  released = new Promise((resolve) => (release = resolve));
});
afterEach(() => release());
afterAll(() => stack.close());

/**
 * Mounted Kubernetes secret: `tls.crt` and `tls.key` link through `..data` to a folder that is
 * replaced atomically.
 */
class Mount {
  readonly folder = mkdtempSync(join(tmpdir(), 'mount-'));
  readonly environment = { TLS_CERT_FILE: join(this.folder, 'tls.crt'), TLS_KEY_FILE: join(this.folder, 'tls.key') };
  private version = 0;

  constructor(pair: TestCertificate) {
    this.write(pair.cert + between.cert, pair.key);
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(this.folder, file));
  }

  write(cert: string, key: string): void {
    const version = `..${(this.version += 1)}`;
    mkdirSync(join(this.folder, version));
    writeFileSync(join(this.folder, version, 'tls.crt'), cert);
    writeFileSync(join(this.folder, version, 'tls.key'), key);
    symlinkSync(version, join(this.folder, '..next'));
    renameSync(join(this.folder, '..next'), join(this.folder, '..data'));
  }
}

const mounts: Mount[] = [];
afterAll(() => {
  for (const { folder } of mounts) rmSync(folder, { recursive: true });
});

const everyMs = 20;
/** Short polling interval of certificate files. */
const fastPolling = { certificateEveryMs: everyMs };

async function gateway(times: Partial<EdgeTimes> = {}, environment: Record<string, string> = {}, pair = first) {
  const mount = new Mount(pair);
  mounts.push(mount);
  const own = { checkEveryMs: everyMs, ...times };
  const url = (await stack.gateway({ LOG_LEVEL: 'info', ...mount.environment, ...environment }, own)).replace(
    'http:',
    'https:',
  );
  const app = stack.apps.at(-1)!;
  const server = app.getHttpServer() as Server;
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { url, mount, app, open };
}

const trusting = { ca: root.cert };
const client = (url: string, options: ConnectionOptions = {}) => RawClient.toTls(url, { ...trusting, ...options });
const lines = (level: number) => stack.logged.filter((line) => line.level === level);
const errorLevel = 50;

/** Returns the common name in the certificate that a new connection gets. */
async function certificateOf(url: string): Promise<string> {
  const { socket } = await client(url);
  const name = String(socket.getPeerCertificate().subject.CN);
  socket.destroy();
  return name;
}

/** Returns the error of a handshake. */
const handshakeError = (url: string, options: ConnectionOptions): Promise<unknown> =>
  client(url, options).then(
    () => 'a connection',
    (error: unknown) => (error as NodeJS.ErrnoException).code,
  );

describe('a gateway with a certificate', () => {
  it('serves HTTP/1.1 over TLS 1.2 and 1.3 with the chain', async () => {
    const { url } = await gateway();
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const connection = await client(url, {
        minVersion: version,
        maxVersion: version,
        ALPNProtocols: ['h2', 'http/1.1'],
      });
      connection.get(items);
      await connection.waitForResponses(1);
      expect([connection.socket.getProtocol(), connection.socket.alpnProtocol, connection.statuses]).toEqual([
        version,
        'http/1.1',
        [200],
      ]);
      connection.socket.destroy();
    }
  });

  it('rejects older versions, and clients that offer HTTP/2 only', async () => {
    const { url } = await gateway();
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await handshakeError(url, old)).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    expect(await handshakeError(url, { ALPNProtocols: ['h2'] })).toBe('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL');
  });

  it('offers suites with forward secrecy and AEAD only', async () => {
    const offered: string[] = [];
    for (const pair of [first, testCertificate('rsa', { issuer: between, rsa: true })]) {
      const { url } = await gateway({}, {}, pair);
      const remaining = new Set(getCiphers().filter((name) => !/^tls_|psk|srp|null|adh|aecdh/.test(name)));
      for (let isRejected = false; !isRejected;) {
        const options = {
          maxVersion: 'TLSv1.2',
          ciphers: `${[...remaining].join(':').toUpperCase()}:@SECLEVEL=0`,
        } as const;
        const connection = await client(url, options).catch((error: unknown) => error as NodeJS.ErrnoException);
        if (connection instanceof RawClient) {
          const { name, standardName } = connection.socket.getCipher();
          offered.push(standardName);
          expect(remaining.delete(name.toLowerCase())).toBe(true);
          connection.socket.destroy();
        } else {
          expect(connection.code).toMatch(/ALERT_HANDSHAKE_FAILURE$/);
          isRejected = true;
        }
      }
    }
    const suites = (keys: string) =>
      ['AES_128_GCM_SHA256', 'AES_256_GCM_SHA384', 'CHACHA20_POLY1305_SHA256'].map(
        (it) => `TLS_ECDHE_${keys}_WITH_${it}`,
      );
    expect(offered.sort()).toEqual([...suites('ECDSA'), ...suites('RSA')]);
  });

  it('does not renegotiate', async () => {
    const { url, open } = await gateway();
    const { socket } = await client(url, { maxVersion: 'TLSv1.2' });
    const response = new Promise<unknown>((resolve) => {
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      socket.renegotiate({}, () => resolve('negotiated'));
    });
    try {
      expect(await response).toBe('ERR_SSL_NO_RENEGOTIATION');
      await eventually('no connection', async () => (await open()) === 0);
    } finally {
      // Open connections would delay the shutdown
      stack.apps.at(-1)!.getHttpServer().closeAllConnections();
      socket.destroy();
    }
  });

  it('responds to plain HTTP with an HTTPS hint, and closes the connection', async () => {
    const { url } = await gateway();
    const plain = await RawClient.to(url);
    plain.get(items);
    await plain.waitForClose();
    expect(plain.statuses).toEqual([400]);
    expect(plain.received).toContain('This port serves HTTPS');
    expect(plain.received).toContain('"code":"request.invalid"');
  });

  it('closes connections without a handshake, without a log line', async () => {
    const { url, open } = await gateway();
    stack.logged.length = 0;
    const hostile = ['\0\x01 nonsense', '\x16\x03\x01\x02\0\xff\xff', 'SSH-2.0-x\r\n', '\x80\x2e\x01\0\x02'];
    for (let round = 0; round < 10; round += 1)
      for (const bytes of hostile) {
        const connection = await RawClient.to(url);
        connection.socket.end(bytes, 'latin1');
      }
    await eventually('no connection', async () => (await open()) === 0);
    expect(await certificateOf(url)).toBe('first');
    expect(
      stack.logged.filter(({ msg }) => !/certificate|Nest|Route|Mapped|dependencies|Controller/.test(msg)),
    ).toEqual([]);
  });

  it('limits the duration of a handshake', async () => {
    const { url, open } = await gateway({ headMs: 200 });
    const unused = await RawClient.to(url);
    const slow = await RawClient.to(url);
    const letters = ['\x16', '\x03', '\x01', '\x02'];
    const timer = setInterval(() => slow.socket.write(letters.shift() ?? '\0', 'latin1'), 20);
    await Promise.all([unused.waitForClose(10_000), slow.waitForClose(10_000)]);
    clearInterval(timer);
    expect([unused.received, slow.received]).toEqual(['', '']);
    await eventually('no connection', async () => (await open()) === 0);
  });

  it('has the same header timeout after the handshake as without TLS', async () => {
    const { url } = await gateway({ headMs: 300 });
    // The handshake has the same short timeout, which a busy machine may exceed
    const ready = () => eventually('a handshake in time', () => client(url).catch(() => undefined));
    const unused = await ready();
    const slow = await ready();
    slow.send('GET /api/v1/items HTTP/1.1\r\nHost: x');
    await Promise.all([unused.waitForClose(), slow.waitForClose()]);
    expect([unused.statuses, slow.statuses]).toEqual([[408], [408]]);
  });

  it('has the same connection limit as without TLS, including connections without a handshake', async () => {
    const { url } = await gateway({}, { MAX_CONNECTIONS: '2', TRUSTED_PROXIES: 'loopback' });
    const [unused, ready] = [await RawClient.to(url), await client(url)];
    const third = await RawClient.to(url);
    await unused.waitForClose();
    ready.get(items);
    await ready.waitForResponses(1);
    for (const { socket } of [ready, third]) socket.destroy();
  });

  it('responds to open requests at shutdown, and does not wait for handshakes', async () => {
    const { url, app } = await gateway();
    const connection = await client(url);
    connection.get(slow);
    const unused = await RawClient.to(url);
    await eventually('the request', () => requestCount === 1);
    const shutdownEnd = app.get(GracefulShutdown).shutDown(0, 60_000);
    // This wait is longer than the idle timeout of the shutdown
    await unused.waitForClose(10_000);
    expect(connection.isClosed).toBe(false);
    release();
    await shutdownEnd;
    await connection.waitForClose();
    expect([connection.statuses, connection.closeHeaders, unused.received]).toEqual([[200], [true], '']);
  });
});

describe('a certificate that is replaced', () => {
  it('is used for new connections, and existing ones stay open', async () => {
    const { url, mount } = await gateway(fastPolling);
    const open = await client(url);
    open.get(items);
    await open.waitForResponses(1);
    mount.write(second.cert + between.cert, second.key);
    await eventually('the new certificate', async () => (await certificateOf(url)) === 'second');
    open.get(items);
    await open.waitForResponses(2);
    expect(open.statuses).toEqual([200, 200]);
    open.socket.destroy();
  });

  it('ends the resumption of TLS sessions, so that clients get the new one', async () => {
    const { url, mount } = await gateway(fastPolling);
    const initial = await client(url, { maxVersion: 'TLSv1.2' });
    const session = initial.socket.getSession();
    initial.socket.destroy();
    const resumed = await client(url, { maxVersion: 'TLSv1.2', session });
    expect(resumed.socket.isSessionReused()).toBe(true);
    resumed.socket.destroy();
    mount.write(second.cert + between.cert, second.key);
    await eventually('the new certificate', async () => (await certificateOf(url)) === 'second');
    const late = await client(url, { maxVersion: 'TLSv1.2', session });
    expect([late.socket.isSessionReused(), late.socket.getPeerCertificate().subject.CN]).toEqual([false, 'second']);
    late.socket.destroy();
  });

  it.each([
    ['is broken', 'nonsense', second.key, 'TLS_CERT_FILE contains no certificate in PEM'],
    ['has the key of another certificate', second.cert, first.key, 'TLS_KEY_FILE does not match the certificate'],
  ])('stays in use if the new one %s, with one log line', async (_, cert, key, reason) => {
    const { url, mount } = await gateway(fastPolling);
    mount.write(cert, key);
    await eventually('the log line', () => lines(errorLevel).length > 0);
    await sleep(10 * everyMs);
    expect(lines(errorLevel)).toEqual([expect.objectContaining({ reason })]);
    expect(await certificateOf(url)).toBe('first');
    mount.write(second.cert + between.cert, second.key);
    await eventually('the new certificate', async () => (await certificateOf(url)) === 'second');
  });
});
