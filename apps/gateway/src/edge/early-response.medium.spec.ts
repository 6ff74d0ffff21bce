import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RawReply } from '#request-queue';
import { eventually, testCertificate } from '#testing';
import { GatewayStack } from '../testing/gateway-stack.js';
import { RawClient } from '../testing/raw-client.js';
import { installedClients, uploadBy } from '../testing/real-clients.js';
import { lingerLimits } from './connections/lingering-close.js';

const MB = 1024 * 1024;
const certificate = testCertificate('edge');
const folder = mkdtempSync(join(tmpdir(), 'early-'));
const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') };

let stack: GatewayStack;
let plain: string;
let secure: string;

beforeAll(async () => {
  writeFileSync(files.TLS_CERT_FILE, certificate.cert);
  writeFileSync(files.TLS_KEY_FILE, certificate.key);
  stack = await GatewayStack.start({ 'items.list': () => RawReply.json('{"items":[]}') });
  plain = await stack.gateway();
  secure = (await stack.gateway(files)).replace('http:', 'https:');
});
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

/** Resolves with the next connection on the server side. */
function nextSocket(server = stack.apps[0]!.getHttpServer() as Server): Promise<Socket> {
  return new Promise((resolve) => server.once('connection', resolve));
}

const head = (path: string, ...lines: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines, '', ''].join('\r\n');

/** Sends data until the connection closes. */
async function flood(client: RawClient): Promise<void> {
  const piece = Buffer.alloc(MB, 0x20);
  const { socket } = client;
  const more = (): void => {
    while (!client.isClosed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
  await client.waitForClose(60_000);
}

describe('the rest of a body after an early response', () => {
  it.each([
    ['with a length', 'Content-Length: 100000000000'],
    ['with a length, as the last one of its connection', 'Content-Length: 100000000000\r\nConnection: close'],
    ['in chunks', 'Transfer-Encoding: chunked'],
  ])('is read up to a limit: %s', async (_, framing) => {
    const accepted = nextSocket();
    const client = await RawClient.to(plain, true);
    const socket = await accepted;
    // A chunk size that is never reached
    client.send(head('/api/v1/choices', framing) + (framing.endsWith('chunked') ? 'fffffffffff\r\n' : ''));
    await flood(client);
    expect([client.statuses, client.closeHeaders]).toEqual([[401], [true]]);
    expect(socket.bytesRead).toBeLessThan(2 * lingerLimits.bytes);
  });

  it('is read up to the same limit on a route without a body', async () => {
    const accepted = nextSocket();
    const client = await RawClient.to(plain, true);
    const socket = await accepted;
    client.send('GET /api/v1/items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\n');
    client.send('Content-Length: 100000000000\r\n\r\n');
    await flood(client);
    expect([client.statuses, client.closeHeaders]).toEqual([[200], [true]]);
    expect(socket.bytesRead).toBeLessThan(2 * lingerLimits.bytes);
  });

  it('is read for a limited time', async () => {
    const client = await RawClient.to(await stack.gateway({}, { lingerMs: 500 }), true);
    client.send(head('/api/v1/choices', 'Content-Length: 100000000000'));
    const timer = setInterval(() => client.send('x'), 20);
    await client.waitForClose();
    clearInterval(timer);
    expect(client.statuses).toEqual([401]);
  });

  it('is awaited up to the idle timeout', async () => {
    const url = await stack.gateway({}, { lingerIdleMs: 200 });
    const accepted = nextSocket(stack.apps.at(-1)!.getHttpServer());
    // The client does not close its side
    const client = await RawClient.to(url, true);
    const socket = await accepted;
    client.send(head('/api/v1/choices', 'Content-Length: 100000000000'));
    await eventually('the end of the connection', () => socket.closed);
    await client.waitForResponses(1);
    expect(client.statuses).toEqual([401]);
    client.socket.destroy();
  });

  it('is read completely if small, and the connection stays open', async () => {
    const client = await RawClient.to(plain);
    const body = ' '.repeat(200_000);
    for (const count of [1, 2]) {
      client.send(head('/api/v1/choices', `Content-Length: ${body.length}`));
      await client.waitForResponses(count);
      client.send(body);
    }
    expect([client.statuses, client.closeHeaders]).toEqual([
      [401, 401],
      [false, false],
    ]);
    client.socket.destroy();
  });

  it('is empty after a complete body: the connection stays open after a large one', async () => {
    const client = await RawClient.to(plain);
    const body = JSON.stringify({ title: 'x', other: 'x'.repeat(500_000) });
    client.send(head('/api/v1/choices', 'Authorization: Bearer writer', `Content-Length: ${body.length}`) + body);
    await client.waitForResponses(1);
    client.get('/api/v1/items');
    await client.waitForResponses(2);
    expect([client.statuses, client.closeHeaders]).toEqual([
      [200, 200],
      [false, false],
    ]);
    client.socket.destroy();
  });

  it.each([
    ['the connections of one address', ['127.0.0.2', '127.0.0.2', '127.0.0.2'], lingerLimits.bytesPerSecondOfAddress],
    ['all', [2, 3, 4, 5, 6, 7].map((n) => `127.0.0.${n}`), lingerLimits.bytesPerSecond],
  ])(
    'is read at a limited rate, so as not to block other connections: %s share one rate',
    async (_, addresses, bytesPerSecond) => {
      const url = await stack.gateway();
      const sockets: Socket[] = [];
      (stack.apps.at(-1)!.getHttpServer() as Server).on('connection', (socket) => void sockets.push(socket));
      const clients = await Promise.all(addresses.map((address) => RawClient.to(url, true, address)));
      await eventually('all connections', () => sockets.length === addresses.length);
      const from = performance.now();
      const length = lingerLimits.announcedBytes;
      for (const client of clients) client.send(head('/api/v1/choices', `Content-Length: ${length}`));
      await Promise.all(clients.map((client) => flood(client)));
      const seconds = (performance.now() - from) / 1_000;
      const read = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
      expect(read).toBeGreaterThan(addresses.length * length);
      expect(read / seconds).toBeLessThan(bytesPerSecond * 1.2);
    },
  );
});

describe('the status of an upload that is rejected early', () => {
  const cases = installedClients.flatMap((client) => [
    // 32 MB is the maximum of an operation; 10 MB exceed the buffers of loopback
    { client, scheme: 'http', connection: 'close', path: '/api/v1/materials', megabytes: 10, status: '401' },
    { client, scheme: 'http', connection: 'keep-alive', path: '/api/v1/nothing', megabytes: 10, status: '404' },
    { client, scheme: 'https', connection: 'close', path: '/api/v1/materials', megabytes: 32, status: '401' },
  ]);

  it.each(cases)('is read by $client over $scheme with connection: $connection', async (it) => {
    const origin = it.scheme === 'http' ? plain : secure;
    const close = it.connection === 'close';
    expect(await uploadBy(it.client, origin + it.path, it.megabytes * MB, close)).toBe(it.status);
  });
});

it.each(['Python urllib', 'curl'].filter((name) => installedClients.includes(name)))(
  'the rejections 413, 401 and 405 reach %s',
  async (client) => {
    const statuses = await Promise.all(
      ['/sign-in', '/api/v1/materials', '/problems'].map((path) => uploadBy(client, plain + path, 12 * MB, true)),
    );
    expect(statuses).toEqual(['413', '401', '405']);
  },
);
