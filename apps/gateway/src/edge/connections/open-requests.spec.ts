import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { OpenRequests } from './open-requests.js';

function setUp() {
  let destroyed = 0;
  const socket = Object.assign(new EventEmitter(), { destroy: () => (destroyed += 1) });
  const request = { raw: { socket } } as unknown as FastifyRequest;
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
  const signal = disconnected.requests.begin(disconnected.request, 10);
  disconnected.socket.emit('close');
  expect(signal!.aborted).toBe(true);
  await sleep(30);
  expect([read.destroyed(), disconnected.destroyed()]).toEqual([0, 0]);
});
