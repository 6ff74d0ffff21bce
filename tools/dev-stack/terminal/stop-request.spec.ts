import { StopRequest } from './stop-request.js';

it('a stop request within a second of the first is a duplicate, a later one is forced', () => {
  let now = 5_000;
  const stopRequest = new StopRequest(() => now);
  expect(stopRequest.receive()).toBe('first');
  now += 999;
  expect(stopRequest.receive()).toBe('duplicate');
  now += 1;
  expect(stopRequest.receive()).toBe('forced');
  now += 60_000;
  expect(stopRequest.receive()).toBe('forced');
});
