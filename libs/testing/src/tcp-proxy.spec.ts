import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { eventually } from './eventually.js';
import { TcpProxy } from './tcp-proxy.js';

describe('TcpProxy', () => {
  let server: Server;
  let proxy: TcpProxy;
  let accepted: Socket[];
  let clients: Socket[];

  beforeEach(async () => {
    accepted = [];
    clients = [];
    server = createServer((socket) => {
      accepted.push(socket);
      socket.on('error', () => undefined).pipe(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await TcpProxy.before(`echo://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}/path`);
  });

  afterEach(() => {
    proxy.close();
    for (const client of clients) client.destroy();
    server.close();
  });

  async function client(): Promise<Socket> {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.on('error', () => undefined).setEncoding('utf8');
    clients.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  /** Resolves to the echoed text once it has `length` characters. */
  async function echoed(socket: Socket, length: number): Promise<string> {
    let text = '';
    while (text.length < length) text += String((await once(socket, 'data'))[0]);
    return text;
  }

  it('has the URL of the server except for host and port', () => {
    expect(proxy.url).toMatch(/^echo:\/\/user:secret@127\.0\.0\.1:\d+\/path$/);
    expect(proxy.through('echo://other@127.0.0.1:1/x')).toMatch(/^echo:\/\/other@127\.0\.0\.1:\d{2,}\/x$/);
  });

  it('preserves the order of chunks when some are delayed', async () => {
    const socket = await client();
    const late = echoed(socket, 3);
    const drawn = jest.spyOn(Math, 'random').mockReturnValue(1);
    proxy.disturb({ delayMs: 200, stalled: 0.5 });
    const since = performance.now();
    socket.write('a');
    await eventually('the first chunk', () => drawn.mock.calls.length === 1);
    drawn.mockRestore();
    proxy.heal();
    socket.write('b');
    await new Promise((resolve) => setTimeout(resolve, 5));
    socket.write('c');
    expect(await late).toBe('abc');
    expect(performance.now() - since).toBeGreaterThan(190);
  });

  it('does not close connections that drop data until `heal`, and new connections work', async () => {
    const old = await client();
    old.write('a');
    expect(await echoed(old, 1)).toBe('a');
    proxy.blackhole();
    old.write('lost');
    const fresh = await client();
    fresh.write('b');
    expect(await echoed(fresh, 1)).toBe('b');
    expect(old.closed).toBe(false);
    const ended = Promise.all([once(old, 'close'), once(accepted[0]!, 'close')]);
    proxy.heal();
    await ended;
    expect(old.bytesRead).toBe(1);
    fresh.write('c');
    expect(await echoed(fresh, 1)).toBe('c');
  });

  it('still forwards requests while it drops responses', async () => {
    const socket = await client();
    socket.write('a');
    await echoed(socket, 1);
    proxy.dropResponses();
    const received = once(accepted[0]!, 'data');
    socket.write('b');
    expect(String((await received)[0])).toBe('b');
    expect(socket.bytesRead).toBe(1);
  });
});
