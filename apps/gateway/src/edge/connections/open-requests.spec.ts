import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { OpenRequests } from './open-requests.js';

function stage() {
  let destroyed = 0;
  const socket = Object.assign(new EventEmitter(), { destroy: () => (destroyed += 1) });
  const request = { raw: { socket } } as unknown as FastifyRequest;
  return { socket, request, requests: new OpenRequests(), destroyed: () => destroyed };
}

it('ends the connection of who does not take the answer in time', async () => {
  const { request, requests, destroyed } = stage();
  requests.begin(request, 10);
  await sleep(30);
  expect(destroyed()).toBe(1);
});

it('waits no longer for an answer to be taken when it was, or when nobody is there who could', async () => {
  const [taken, gone] = [stage(), stage()];
  taken.requests.begin(taken.request, 10);
  taken.requests.end(taken.request);
  const signal = gone.requests.begin(gone.request, 10);
  gone.socket.emit('close');
  expect(signal!.aborted).toBe(true);
  await sleep(30);
  expect([taken.destroyed(), gone.destroyed()]).toEqual([0, 0]);
});
