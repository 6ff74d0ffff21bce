import { jest } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { EventStreamResponse } from './event-stream-response.js';

/** Fake of the response of Node.js. */
class FakeResponse extends EventEmitter {
  writableEnded = false;
  destroyed = false;
  readonly written: string[] = [];
  writeHead = jest.fn();

  constructor(private readonly isFull: boolean) {
    super();
  }

  write(text: string): boolean {
    this.written.push(text);
    return !this.isFull;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const responseOver = (raw: FakeResponse) =>
  new EventStreamResponse({ raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('writes at once to a client that reads', async () => {
  const raw = new FakeResponse(false);
  await responseOver(raw).write('x');
  expect(raw.written).toEqual(['x']);
  expect(jest.getTimerCount()).toBe(0);
});

it('waits until the client has read, without a timer afterwards', async () => {
  const raw = new FakeResponse(true);
  const written = responseOver(raw).write('x');
  await jest.advanceTimersByTimeAsync(29_999);
  raw.emit('drain');
  await written;
  expect([raw.destroyed, jest.getTimerCount(), raw.listenerCount('close')]).toEqual([false, 0, 0]);
});

it('disconnects a client that does not read for 30 s, and writes nothing more', async () => {
  const raw = new FakeResponse(true);
  const response = responseOver(raw);
  const written = response.write('x');
  await jest.advanceTimersByTimeAsync(30_000);
  await written;
  await response.write('y');
  expect([response.isOpen, raw.written]).toEqual([false, ['x']]);
});
