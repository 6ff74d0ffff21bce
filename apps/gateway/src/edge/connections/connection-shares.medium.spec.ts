import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { RawReply } from '#request-queue';
import { eventually } from '#testing';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let release: () => void;
let released: Promise<void>;

beforeAll(async () => {
  stack = await GatewayStack.start({
    'items.list': () => RawReply.json('{"items":[]}'),
    'products.get': async () => {
      await released;
      return RawReply.json('{"product":{}}');
    },
  });
});
beforeEach(() => {
  released = new Promise((resolve) => (release = resolve));
});
afterEach(() => {
  release();
  for (const socket of opened.splice(0)) socket.destroy();
});
afterAll(() => stack.close());

const opened: Socket[] = [];

/** Opens a connection from a local address. */
async function open(url: string, localAddress: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  opened.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function status(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\n\r\n`);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString().slice(9, 12);
}

const items = '/api/v1/items';

describe('an address with many idle connections', () => {
  it('has a limited share: for a further connection its longest idle one is closed', async () => {
    const url = await stack.gateway({ MAX_CONNECTIONS: '8' });
    const [first, second] = [await open(url, '127.0.0.2'), await open(url, '127.0.0.2')];
    expect([await status(second, items), await status(first, items)]).toEqual(['200', '200']);
    const third = await open(url, '127.0.0.2');
    await eventually('the end of the longest idle one', () => second.closed);
    expect([await status(third, items), await status(first, items)]).toEqual(['200', '200']);
  });

  it('does not block others when more addresses connect', async () => {
    const url = await stack.gateway({ MAX_CONNECTIONS: '4' });
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']) await open(url, address);
    expect(await status(await open(url, '127.0.0.6'), items)).toBe('200');
  });

  it('does not lose connections with open requests: if none is idle, the new one is closed', async () => {
    const url = await stack.gateway({ MAX_CONNECTIONS: '4' });
    const busy = await open(url, '127.0.0.2');
    const response = status(busy, '/api/v1/products/1');
    const server = stack.apps.at(-1)!.getHttpServer() as NodeJS.EventEmitter;
    await once(server, 'request');
    const late = await open(url, '127.0.0.2');
    await eventually('the end of the new one', () => late.closed);
    release();
    expect(await response).toBe('200');
  });

  it('has no limited share if it is a trusted proxy', async () => {
    const url = await stack.gateway({ MAX_CONNECTIONS: '8', TRUSTED_PROXIES: '127.0.0.2' });
    const all = [];
    for (let n = 0; n < 6; n += 1) all.push(await open(url, '127.0.0.2'));
    for (const socket of all) expect(await status(socket, items)).toBe('200');
  });

  it('loses connections before a trusted proxy does', async () => {
    const url = await stack.gateway({ MAX_CONNECTIONS: '8', TRUSTED_PROXIES: '127.0.0.2' });
    const proxied = [];
    for (let n = 0; n < 6; n += 1) proxied.push(await open(url, '127.0.0.2'));
    const [first, second] = [await open(url, '127.0.0.3'), await open(url, '127.0.0.3')];
    const visitor = await open(url, '127.0.0.4');
    await eventually('the end of the longest idle one', () => first.closed);
    for (const socket of [...proxied, second, visitor]) expect(await status(socket, items)).toBe('200');
  });
});
