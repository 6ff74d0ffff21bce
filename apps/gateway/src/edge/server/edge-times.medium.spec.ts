import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentCall, RawReply } from '#request-queue';
import { eventually } from '#testing';
import { GatewayStack, send } from '../../testing/gateway-stack.js';
import { RawClient } from '../../testing/raw-client.js';
import type { EdgeTimes } from './edge-times.js';

const bytes = 7 * 1024 * 1024;

let stack: GatewayStack;
/** Id of the product whose requests record the remaining time of the call. */
const timed = 2;
const remainingMs: number[] = [];
const received: (number | string)[] = [];
const pendingReplies: ((nothing: null) => void)[] = [];

beforeAll(async () => {
  stack = await GatewayStack.start({
    'choices.create': ({ title }: { title: string }) => {
      received.push(title);
      return RawReply.json('{"choice":{}}', { status: 201 });
    },
    'items.list': () => RawReply.json('{"items":[]}'),
    'products.list': () => RawReply.json(JSON.stringify({ products: 'x'.repeat(bytes) })),
    'products.get': ({ productId }: { productId: number }) => {
      received.push(productId);
      // Other requests may arrive after their client has disconnected
      if (productId === timed) remainingMs.push(currentCall()!.remainingMs());
      return new Promise((resolve) => pendingReplies.push(resolve));
    },
  });
});
afterAll(async () => {
  // Services wait for open requests at shutdown
  for (const reply of pendingReplies) reply(null);
  await stack.close();
});

async function client(times: Partial<EdgeTimes>): Promise<RawClient> {
  return RawClient.to(await stack.gateway({}, { checkEveryMs: 20, ...times }));
}

/** Sends a character periodically while the connection is open. */
function trickle({ socket }: RawClient, letter: string): void {
  const timer = setInterval(() => socket.write(letter), 20);
  socket.once('close', () => clearInterval(timer));
}

const head = [
  'POST /api/v1/choices HTTP/1.1',
  'Host: x',
  'Authorization: Bearer writer',
  'Content-Type: application/json',
  'Content-Length: 1000000',
];

describe('a slow client', () => {
  it('with the head of a request gets 408, and the connection is closed', async () => {
    const slow = await client({ headMs: 100 });
    slow.send('GET /api/v1/items HTTP/1.1\r\nHost: ');
    trickle(slow, 'x');
    await slow.waitForClose();
    expect(slow.statuses).toEqual([408]);
    expect(slow.received).toContain('The request did not arrive in time.');
  });

  it.each([
    ['head', 'GET /api/v1/products/7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer', '\r\n\r\n'],
    ['body', `${head.join('\r\n').replace('1000000', '13')}\r\n\r\n`, '{"title":"x"}'],
  ])('that sends the end of the %s after the 408 is not served', async (_, begin, end) => {
    const url = await stack.gateway({}, { checkEveryMs: 20, headMs: 100, requestMs: 100, lingerMs: 500 });
    const slow = await RawClient.to(url, true);
    slow.send(begin);
    await slow.waitForResponses(1);
    slow.send(end);
    trickle(slow, '\n');
    await slow.waitForClose();
    expect(slow.statuses).toEqual([408]);
    expect(received).not.toContain(7);
    expect(received).not.toContain('x');
  });

  it('without a first byte gets 408, and is disconnected', async () => {
    const idle = await client({ headMs: 100 });
    await idle.waitForClose();
    expect(idle.statuses).toEqual([408]);
  });

  it('with a slow body gets 408', async () => {
    const slow = await client({ headMs: 100, requestMs: 200 });
    slow.send(`${head.join('\r\n')}\r\n\r\n`);
    trickle(slow, ' ');
    await slow.waitForClose();
    expect(slow.statuses).toEqual([408]);
  });

  it('with a large body has the time that the body takes at the minimum rate', async () => {
    const bytes = 1.2 * 1024 * 1024;
    const slow = await client({ headMs: 100, requestMs: 200, exchangeMs: 300 });
    const large = `${Math.round(bytes)}`;
    slow.send(`${head.join('\r\n').replace('choices', 'materials').replace('1000000', large)}\r\n\r\n`);
    for (let sent = 0; sent < 10; sent++) {
      slow.send(' '.repeat(100_000));
      await sleep(80);
    }
    expect(slow.received).toBe('');
    slow.send('{}'.padEnd(Math.round(bytes) - 1_000_000));
    await slow.waitForResponses(1);
    // Read completely, and rejected because required fields are missing
    expect(slow.statuses).toEqual([400]);
    slow.socket.destroy();
  });

  it('with an idle body gets 408 after the idle timeout', async () => {
    const idle = await client({ bodyIdleMs: 100 });
    idle.send(`${head.join('\r\n')}\r\n\r\n{`);
    await idle.waitForResponses(1);
    expect(idle.statuses).toEqual([408]);
    expect(idle.received).toContain('The body did not arrive in time.');
    idle.socket.destroy();
  });

  it('with an idle large body gets 408, too', async () => {
    const idle = await client({ bodyIdleMs: 300 });
    idle.send(`${head.join('\r\n').replace('choices', 'materials').replace('1000000', '9000000')}\r\n\r\n`);
    idle.send('x'.repeat(2 * 1024 * 1024));
    await idle.waitForResponses(1);
    expect(idle.statuses).toEqual([408]);
    idle.socket.destroy();
  });

  it('with a slow form gets 408', async () => {
    const slow = await client({ headMs: 100, requestMs: 200 });
    slow.send('POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n');
    slow.send('Content-Type: application/x-www-form-urlencoded\r\n\r\n');
    trickle(slow, 'x');
    await slow.waitForClose();
    expect(slow.statuses).toEqual([408]);
  });

  it('that reads slowly is disconnected before the end of the response', async () => {
    const slow = await client({ exchangeMs: 500 });
    const server = stack.apps.at(-1)!.getHttpServer() as Server;
    const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    await eventually('the connection', async () => (await open()) === 1);
    slow.get('/api/v1/products');
    slow.socket.pause();
    // Reads a little periodically, so that the connection is never idle
    const timer = setInterval(() => slow.socket.read(1_000), 20);
    await eventually('no connection', async () => (await open()) === 0);
    clearInterval(timer);
    slow.socket.resume();
    await slow.waitForClose();
    expect(slow.received.length).toBeLessThan(bytes);
  });

  it('with an idle open request is disconnected', async () => {
    const idle = await client({ idleExchangeMs: 100 });
    idle.get('/api/v1/products/1');
    await idle.waitForClose();
    expect(idle.received).toBe('');
  });

  it('that is idle between two requests is disconnected', async () => {
    const idle = await client({ idleMs: 50 });
    idle.get('/api/v1/items');
    await idle.waitForClose();
    expect(idle.statuses).toEqual([200]);
  });
});

describe('a request', () => {
  it('has one time limit for all service requests, which get the remaining time', async () => {
    const url = await stack.gateway({}, { responseMs: 3_000 });
    const { status, body } = await send('GET', `${url}/api/v1/products/${timed}`, { token: 'writer' });
    expect([status, body.code]).toEqual([504, 'service.no-answer']);
    expect(remainingMs).not.toEqual([]);
    expect(Math.max(...remainingMs)).toBeLessThanOrEqual(3_000);
  });
});
