import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { collectGarbage, eventually } from '#testing';
import { type Receiver, startReceiver } from './testing/receiver.js';
import { WebhookClient } from './webhook.client.js';

const allowedHosts = new Set(['127.0.0.1']);
const client = new WebhookClient({ allowedHosts, timeoutMs: 5_000 });
const impatient = new WebhookClient({ allowedHosts, timeoutMs: 300 });
const never = new AbortController().signal;
const send = (url: string, sender = client) =>
  sender.send({ url, headers: { 'webhook-id': 'a' }, body: '{"a":1}' }, never);

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanup.splice(0)) await close();
});

async function receiver(respond?: (response: ServerResponse) => void): Promise<Receiver> {
  const started = await startReceiver(respond && ((_, response) => respond(response)));
  cleanup.push(() => started.close());
  return started;
}

/** Starts a TCP server. @returns its URL */
async function tcpServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanup.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Returns the URL of a server that sends these bytes as its response, then ends the connection. */
const raw = (bytes: string): Promise<string> => tcpServer((socket) => socket.once('data', () => socket.end(bytes)));

it('sends the body and the headers', async () => {
  const { url, received } = await receiver();
  expect(await send(url)).toMatchObject({ statusCode: 204, error: null, retryAfterMs: 0 });
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    body: '{"a":1}',
    headers: { 'webhook-id': 'a', 'content-type': 'application/json', 'user-agent': 'storefront-webhooks/1' },
  });
});

it.each([
  [200, null],
  [299, null],
  [400, 'status'],
  [410, 'status'],
  [500, 'status'],
])('a response with the status %d has the class %s', async (status, error) => {
  const { url } = await receiver((response) => void response.writeHead(status).end('content'));
  expect(await send(url)).toMatchObject({ statusCode: status, error });
});

it.each([301, 302, 303, 307, 308])('does not follow a redirect with %d', async (status) => {
  const target = await receiver();
  const { url } = await receiver((response) => void response.writeHead(status, { location: target.url }).end());
  expect(await send(url)).toMatchObject({ statusCode: status, error: 'redirect' });
  expect(target.received).toEqual([]);
});

it('reads Retry-After', async () => {
  const { url } = await receiver((response) => void response.writeHead(429, { 'retry-after': '120' }).end());
  expect(await send(url)).toMatchObject({ error: 'status', retryAfterMs: 120_000 });
});

it('does not wait for the end of an oversized response', async () => {
  let closed = false;
  const { url } = await receiver((response) => {
    response.on('close', () => (closed = true));
    response.on('error', () => undefined).writeHead(200);
    response.write(Buffer.alloc(100_000));
  });
  expect(await send(url)).toMatchObject({ statusCode: 200, error: null });
  await eventually('the connection is closed', () => Promise.resolve(closed));
});

describe('an attempt fails with the class', () => {
  it('timeout for a server that does not respond', async () => {
    const { url } = await receiver(() => undefined);
    expect(await send(url, impatient)).toMatchObject({ statusCode: null, error: 'timeout' });
  });

  it('timeout for a hanging server, after a garbage collection', async () => {
    const { url, received } = await receiver(() => undefined);
    const sent = send(url, impatient);
    await eventually('the request has arrived', () => Promise.resolve(received.length === 1));
    collectGarbage();
    expect(await sent).toMatchObject({ error: 'timeout' });
  }, 20_000);

  it('timeout for a response that does not end before the deadline', async () => {
    const { url } = await receiver((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    expect(await send(url, impatient)).toMatchObject({ statusCode: 200, error: 'timeout' });
  });

  it('timeout for a TLS handshake without an end', async () => {
    const url = await tcpServer(() => undefined);
    expect(await send(url.replace('http:', 'https:'), impatient)).toMatchObject({ error: 'timeout' });
  });

  it('tls for a server without TLS', async () => {
    const { url } = await receiver();
    expect(await send(url.replace('http:', 'https:'))).toMatchObject({ error: 'tls' });
  });

  it('reset for a connection that is reset', async () => {
    const url = await tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await send(url)).toMatchObject({ statusCode: null, error: 'reset' });
  });

  it('reset for a response that ends before its Content-Length', async () => {
    const url = await raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort');
    expect(await send(url)).toMatchObject({ statusCode: 200, error: 'reset' });
  });

  it('protocol for a response that is not HTTP', async () => {
    expect(await send(await raw('SSH-2.0-OpenSSH_9.6\r\n'))).toMatchObject({ error: 'protocol' });
  });

  it.each([600, 999])('protocol for the status %d, which HTTP does not define', async (status) => {
    const url = await raw(`HTTP/1.1 ${status} Denied\r\ncontent-length: 0\r\n\r\n`);
    expect(await send(url)).toMatchObject({ statusCode: null, error: 'protocol' });
  });

  it('too-large for headers of 100 KB', async () => {
    const url = await raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`);
    expect(await send(url)).toMatchObject({ error: 'too-large' });
  });

  it('connection-refused for a closed port', async () => {
    const closed = await startReceiver();
    await closed.close();
    expect(await send(closed.url)).toMatchObject({ error: 'connection-refused' });
  });

  it.each([
    'http://127.0.0.2/',
    'https://10.0.0.1/',
    'https://localhost/',
    'http://example.com/',
    'https://user:password@example.com/',
  ])('address-not-allowed for %s', async (url) => {
    expect(await send(url)).toMatchObject({ statusCode: null, error: 'address-not-allowed' });
  });
});

it('throws when it is aborted', async () => {
  const { url, received } = await receiver(() => undefined);
  const controller = new AbortController();
  const sent = client.send({ url, headers: {}, body: '{}' }, controller.signal);
  await eventually('the request has arrived', () => Promise.resolve(received.length === 1));
  controller.abort(new Error('the process is closing'));
  await expect(sent).rejects.toThrow('the process is closing');
});
