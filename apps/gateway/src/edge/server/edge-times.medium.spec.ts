import type { Server } from 'node:net';
import { currentCall, RawReply } from '#request-queue';
import { eventually } from '#testing';
import { GatewayStack, send } from '../../testing/gateway-stack.js';
import { RawClient } from '../../testing/raw-client.js';
import type { EdgeTimes } from './edge-times.js';

const bytes = 7 * 1024 * 1024;

let stack: GatewayStack;
/** The product for which it is noted how much time a service has. */
const timed = 2;
const remainingMs: number[] = [];
const asked: (number | string)[] = [];
const answers: ((nothing: null) => void)[] = [];

beforeAll(async () => {
  stack = await GatewayStack.start({
    'choices.create': ({ title }: { title: string }) => {
      asked.push(title);
      return RawReply.json('{"choice":{}}', { status: 201 });
    },
    'items.list': () => RawReply.json('{"items":[]}'),
    'products.list': () => RawReply.json(JSON.stringify({ products: 'x'.repeat(bytes) })),
    'products.get': ({ productId }: { productId: number }) => {
      asked.push(productId);
      // Of the others one may come late, when its client has gone
      if (productId === timed) remainingMs.push(currentCall()!.remainingMs());
      return new Promise((resolve) => answers.push(resolve));
    },
  });
});
afterAll(async () => {
  // A service waits at its end for what it has taken
  for (const answer of answers) answer(null);
  await stack.close();
});

async function client(times: Partial<EdgeTimes>): Promise<RawClient> {
  return RawClient.to(await stack.gateway({}, { checkEveryMs: 20, ...times }));
}

/** A letter now and then, as long as it is taken. */
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

describe('a client that takes its time', () => {
  it('with the head of a request is told so, and the connection ends', async () => {
    const slow = await client({ headMs: 100 });
    slow.send('GET /api/v1/items HTTP/1.1\r\nHost: ');
    trickle(slow, 'x');
    await slow.end();
    expect(slow.statuses).toEqual([408]);
    expect(slow.received).toContain('The request did not arrive in time.');
  });

  it.each([
    ['head', 'GET /api/v1/products/7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer', '\r\n\r\n'],
    ['body', `${head.join('\r\n').replace('1000000', '13')}\r\n\r\n`, '{"title":"x"}'],
  ])('and sends the end of the %s when it was told so is not served', async (_, begin, end) => {
    const url = await stack.gateway({}, { checkEveryMs: 20, headMs: 100, requestMs: 100, lingerMs: 500 });
    const slow = await RawClient.to(url, true);
    slow.send(begin);
    await slow.answers(1);
    slow.send(end);
    trickle(slow, '\n');
    await slow.end();
    expect(slow.statuses).toEqual([408]);
    expect(asked).not.toContain(7);
    expect(asked).not.toContain('x');
  });

  it('with its first byte is left', async () => {
    const silent = await client({ headMs: 100 });
    await silent.end();
    expect(silent.statuses).toEqual([408]);
  });

  it('with a body is told so, however steadily it comes', async () => {
    const slow = await client({ headMs: 100, requestMs: 200 });
    slow.send(`${head.join('\r\n')}\r\n\r\n`);
    trickle(slow, ' ');
    await slow.end();
    expect(slow.statuses).toEqual([408]);
  });

  it('in the middle of a body is told so, and sooner', async () => {
    const silent = await client({ bodySilenceMs: 100 });
    silent.send(`${head.join('\r\n')}\r\n\r\n{`);
    await silent.answers(1);
    expect(silent.statuses).toEqual([408]);
    expect(silent.received).toContain('The body did not arrive in time.');
    silent.socket.destroy();
  });

  it('in the middle of a large body is told so as well', async () => {
    const silent = await client({ bodySilenceMs: 300 });
    silent.send(`${head.join('\r\n').replace('choices', 'materials').replace('1000000', '9000000')}\r\n\r\n`);
    silent.send('x'.repeat(2 * 1024 * 1024));
    await silent.answers(1);
    expect(silent.statuses).toEqual([408]);
    silent.socket.destroy();
  });

  it('with the body of a form is told so', async () => {
    const slow = await client({ headMs: 100, requestMs: 200 });
    slow.send('POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n');
    slow.send('Content-Type: application/x-www-form-urlencoded\r\n\r\n');
    trickle(slow, 'x');
    await slow.end();
    expect(slow.statuses).toEqual([408]);
  });

  it('reading, or never reads, is cut off, and nothing of its answer is kept', async () => {
    const slow = await client({ exchangeMs: 500 });
    const server = stack.apps.at(-1)!.getHttpServer() as Server;
    const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    await eventually('the connection', async () => (await open()) === 1);
    slow.get('/api/v1/products');
    slow.socket.pause();
    // A little, now and then: the connection is never silent
    const timer = setInterval(() => slow.socket.read(1_000), 20);
    await eventually('no connection', async () => (await open()) === 0);
    clearInterval(timer);
    slow.socket.resume();
    await slow.end();
    expect(slow.received.length).toBeLessThan(bytes);
  });

  it('over a request in which nothing moves any more loses the connection', async () => {
    const silent = await client({ silenceMs: 100 });
    silent.get('/api/v1/products/1');
    await silent.end();
    expect(silent.received).toBe('');
  });

  it('between two requests loses the connection', async () => {
    const kept = await client({ idleMs: 50 });
    kept.get('/api/v1/items');
    await kept.end();
    expect(kept.statuses).toEqual([200]);
  });
});

describe('a request', () => {
  it('has one limit for all that services are asked, and they hear how much is left', async () => {
    const url = await stack.gateway({}, { answerMs: 3_000 });
    const { status, body } = await send('GET', `${url}/api/v1/products/${timed}`, { token: 'writer' });
    expect([status, body.code]).toEqual([504, 'service.no-answer']);
    expect(remainingMs).not.toEqual([]);
    expect(Math.max(...remainingMs)).toBeLessThanOrEqual(3_000);
  });
});
