import { jest } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenRequests } from './open-requests.js';

function setUp() {
  let destroyed = 0;
  const socket = Object.assign(new EventEmitter(), { destroy: () => (destroyed += 1) });
  const request = { socket } as unknown as IncomingMessage;
  return { socket, request, requests: new OpenRequests(), destroyed: () => destroyed };
}

it('closes the connection of a client that does not read the response in time', async () => {
  const { request, requests, destroyed } = setUp();
  requests.begin(request, 10);
  await sleep(30);
  expect(destroyed()).toBe(1);
});

it('stops the timer when the response is read or the client disconnects', async () => {
  const [read, disconnected] = [setUp(), setUp()];
  read.requests.begin(read.request, 10);
  read.requests.end(read.request);
  const open = disconnected.requests.begin(disconnected.request, 10)!;
  const { signal } = open;
  const listener = jest.fn();
  open.onDisconnect(listener);
  disconnected.socket.emit('close');
  expect([signal.aborted, open.signal.aborted, listener.mock.calls.length]).toEqual([true, true, 1]);
  await sleep(30);
  expect([read.destroyed(), disconnected.destroyed()]).toEqual([0, 0]);
});

it('has an aborted signal also if it is first used after the disconnect', () => {
  const { socket, request, requests } = setUp();
  const open = requests.begin(request, 10)!;
  socket.emit('close');
  expect(open.signal.aborted).toBe(true);
});
