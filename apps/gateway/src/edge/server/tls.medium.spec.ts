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
const root = testCertificate('root', { mayVouch: true });
const between = testCertificate('between', { by: root, mayVouch: true });
const first = testCertificate('first', { by: between });
const second = testCertificate('second', { by: between });

let stack: GatewayStack;
let release: () => void;
let released: Promise<void>;
let asked = 0;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'items.list': () => RawReply.json('{"items":[]}'),
    'products.get': async () => {
      asked += 1;
      await released;
      return RawReply.json('{"product":{}}');
    },
  });
});
beforeEach(() => {
  asked = 0;
  stack.logged.length = 0;
  released = new Promise((resolve) => (release = resolve));
});
afterEach(() => release());
afterAll(() => stack.close());

/** Where secrets are mounted: `tls.crt` and `tls.key` lead through `..data` to a folder that is replaced as a whole. */
class Mount {
  readonly folder = mkdtempSync(join(tmpdir(), 'mount-'));
  readonly environment = { TLS_CERT_FILE: join(this.folder, 'tls.crt'), TLS_KEY_FILE: join(this.folder, 'tls.key') };
  private version = 0;

  constructor(pair: TestCertificate) {
    this.hold(pair.cert + between.cert, pair.key);
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(this.folder, file));
  }

  hold(cert: string, key: string): void {
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
/** For what is done to the files of a certificate. */
const looking = { certificateEveryMs: everyMs };

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

/** Whose certificate a new connection is shown. */
async function shown(url: string): Promise<string> {
  const { socket } = await client(url);
  const name = String(socket.getPeerCertificate().subject.CN);
  socket.destroy();
  return name;
}

/** Why a handshake fails. */
const refusalOf = (url: string, options: ConnectionOptions): Promise<unknown> =>
  client(url, options).then(
    () => 'a connection',
    (error: unknown) => (error as NodeJS.ErrnoException).code,
  );

describe('a gateway with a certificate', () => {
  it('speaks HTTP/1.1 over TLS 1.2 and 1.3, and sends the chain along', async () => {
    const { url } = await gateway();
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const asks = await client(url, { minVersion: version, maxVersion: version, ALPNProtocols: ['h2', 'http/1.1'] });
      asks.get(items);
      await asks.answers(1);
      expect([asks.socket.getProtocol(), asks.socket.alpnProtocol, asks.statuses]).toEqual([
        version,
        'http/1.1',
        [200],
      ]);
      asks.socket.destroy();
    }
  });

  it('refuses older versions, and clients who want HTTP/2 alone', async () => {
    const { url } = await gateway();
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await refusalOf(url, old)).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    expect(await refusalOf(url, { ALPNProtocols: ['h2'] })).toBe('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL');
  });

  it('offers every suite with forward secrecy and an AEAD, and no static RSA key exchange and no CBC', async () => {
    const offered: string[] = [];
    for (const pair of [first, testCertificate('rsa', { by: between, rsa: true })]) {
      const { url } = await gateway({}, {}, pair);
      const left = new Set(getCiphers().filter((name) => !/^tls_|psk|srp|null|adh|aecdh/.test(name)));
      for (let isRejected = false; !isRejected;) {
        const options = { maxVersion: 'TLSv1.2', ciphers: `${[...left].join(':').toUpperCase()}:@SECLEVEL=0` } as const;
        const asks = await client(url, options).catch((error: unknown) => error as NodeJS.ErrnoException);
        if (asks instanceof RawClient) {
          const { name, standardName } = asks.socket.getCipher();
          offered.push(standardName);
          expect(left.delete(name.toLowerCase())).toBe(true);
          asks.socket.destroy();
        } else {
          expect(asks.code).toMatch(/ALERT_HANDSHAKE_FAILURE$/);
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

  it('negotiates once for each connection, and ends the one that wants more', async () => {
    const { url, open } = await gateway();
    const { socket } = await client(url, { maxVersion: 'TLSv1.2' });
    const answer = new Promise<unknown>((resolve) => {
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      socket.renegotiate({}, () => resolve('negotiated'));
    });
    try {
      expect(await answer).toBe('ERR_SSL_NO_RENEGOTIATION');
      await eventually('no connection', async () => (await open()) === 0);
    } finally {
      // The end of the gateway would wait for what was not ended
      stack.apps.at(-1)!.getHttpServer().closeAllConnections();
      socket.destroy();
    }
  });

  it('tells who speaks HTTP to speak HTTPS, and ends the connection', async () => {
    const { url } = await gateway();
    const plain = await RawClient.to(url);
    plain.get(items);
    await plain.end();
    expect(plain.statuses).toEqual([400]);
    expect(plain.received).toContain('HTTPS is spoken here');
    expect(plain.received).toContain('"code":"request.invalid"');
  });

  it('ends what is no handshake, without a line of log', async () => {
    const { url, open } = await gateway();
    stack.logged.length = 0;
    const hostile = ['\0\x01 nonsense', '\x16\x03\x01\x02\0\xff\xff', 'SSH-2.0-x\r\n', '\x80\x2e\x01\0\x02'];
    for (let round = 0; round < 10; round += 1)
      for (const bytes of hostile) {
        const nobody = await RawClient.to(url);
        nobody.socket.end(bytes, 'latin1');
      }
    await eventually('no connection', async () => (await open()) === 0);
    expect(await shown(url)).toBe('first');
    expect(
      stack.logged.filter(({ msg }) => !/certificate|Nest|Route|Mapped|dependencies|Controller/.test(msg)),
    ).toEqual([]);
  });

  it('waits for a handshake no longer than it may, however steadily it comes', async () => {
    const { url, open } = await gateway({ headMs: 200 });
    const silent = await RawClient.to(url);
    const slow = await RawClient.to(url);
    const letters = ['\x16', '\x03', '\x01', '\x02'];
    const timer = setInterval(() => slow.socket.write(letters.shift() ?? '\0', 'latin1'), 20);
    await Promise.all([silent.end(10_000), slow.end(10_000)]);
    clearInterval(timer);
    expect([silent.received, slow.received]).toEqual(['', '']);
    await eventually('no connection', async () => (await open()) === 0);
  });

  it('waits after the handshake as it does without TLS', async () => {
    const { url } = await gateway({ headMs: 300 });
    // The handshake has a limit as short, which a busy machine may miss
    const ready = () => eventually('a handshake in time', () => client(url).catch(() => undefined));
    const silent = await ready();
    const slow = await ready();
    slow.send('GET /api/v1/items HTTP/1.1\r\nHost: x');
    await Promise.all([silent.end(), slow.end()]);
    expect([silent.statuses, slow.statuses]).toEqual([[408], [408]]);
  });

  it('has as many connections at once as without TLS, those without a handshake among them', async () => {
    const { url } = await gateway({}, { CONNECTIONS_AT_ONCE: '2', TRUSTED_PROXIES: 'loopback' });
    const [silent, ready] = [await RawClient.to(url), await client(url)];
    const third = await RawClient.to(url);
    await silent.end();
    ready.get(items);
    await ready.answers(1);
    for (const { socket } of [ready, third]) socket.destroy();
  });

  it('answers what it has when it leaves, and waits for nobody who has not said hello', async () => {
    const { url, app } = await gateway();
    const asks = await client(url);
    asks.get(slow);
    const silent = await RawClient.to(url);
    await eventually('the request', () => asked === 1);
    const left = app.get(GracefulShutdown).leave(0, 60_000);
    // Longer than a connection may be without a request
    await silent.end(10_000);
    expect(asks.isEnded).toBe(false);
    release();
    await left;
    await asks.end();
    expect([asks.statuses, asks.saysClose, silent.received]).toEqual([[200], [true], '']);
  });
});

describe('a certificate that is replaced', () => {
  it('is shown on new connections, and those that are there stay', async () => {
    const { url, mount } = await gateway(looking);
    const kept = await client(url);
    kept.get(items);
    await kept.answers(1);
    mount.hold(second.cert + between.cert, second.key);
    await eventually('the new certificate', async () => (await shown(url)) === 'second');
    kept.get(items);
    await kept.answers(2);
    expect(kept.statuses).toEqual([200, 200]);
    kept.socket.destroy();
  });

  it('is not shown to a session that began with the one before', async () => {
    const { url, mount } = await gateway(looking);
    const began = await client(url, { maxVersion: 'TLSv1.2' });
    const session = began.socket.getSession();
    began.socket.destroy();
    const again = await client(url, { maxVersion: 'TLSv1.2', session });
    expect(again.socket.isSessionReused()).toBe(true);
    again.socket.destroy();
    mount.hold(second.cert + between.cert, second.key);
    await eventually('the new certificate', async () => (await shown(url)) === 'second');
    const late = await client(url, { maxVersion: 'TLSv1.2', session });
    expect([late.socket.isSessionReused(), late.socket.getPeerCertificate().subject.CN]).toEqual([false, 'second']);
    late.socket.destroy();
  });

  it.each([
    ['is broken', 'nonsense', second.key, 'TLS_CERT_FILE holds no certificate in PEM'],
    ['has the key of another', second.cert, first.key, 'TLS_KEY_FILE does not belong to the certificate'],
  ])('stays when the new one %s, which is said once', async (_, cert, key, reason) => {
    const { url, mount } = await gateway(looking);
    mount.hold(cert, key);
    await eventually('the refusal', () => lines(errorLevel).length > 0);
    await sleep(10 * everyMs);
    expect(lines(errorLevel)).toEqual([expect.objectContaining({ reason })]);
    expect(await shown(url)).toBe('first');
    mount.hold(second.cert + between.cert, second.key);
    await eventually('the new certificate', async () => (await shown(url)) === 'second');
  });
});
