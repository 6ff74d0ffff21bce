import { Socket } from 'node:net';
import { jest } from '@jest/globals';
import { LingeringClose } from './lingering-close.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('closes a connection above its byte limit after the grace period, also if the rate is exhausted', () => {
  const socket = new Socket();
  const times = { lingerMs: 60_000, lingerIdleMs: 10_000, closeGraceMs: 500 };
  new LingeringClose(times, false).close(socket);
  // More than the rate of an address per second
  socket.emit('data', Buffer.alloc(32 * 1024 * 1024));
  jest.advanceTimersByTime(500);
  expect(socket.destroyed).toBe(false);
  jest.advanceTimersByTime(100);
  expect(socket.destroyed).toBe(true);
});
