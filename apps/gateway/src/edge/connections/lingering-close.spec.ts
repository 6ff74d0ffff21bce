import { Socket } from 'node:net';
import { jest } from '@jest/globals';
import { LingeringClose } from './lingering-close.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a connection past its bytes is closed after its moment, also when nothing is left of the rate', () => {
  const socket = new Socket();
  const times = { lingerMs: 60_000, lingerSilenceMs: 10_000, farewellMs: 500 };
  new LingeringClose(times, false).close(socket);
  // More than the rate of an address allows in a second
  socket.emit('data', Buffer.alloc(32 * 1024 * 1024));
  jest.advanceTimersByTime(500);
  expect(socket.destroyed).toBe(false);
  jest.advanceTimersByTime(100);
  expect(socket.destroyed).toBe(true);
});
