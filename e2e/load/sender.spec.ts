import { Client } from './client.js';
import { Sender } from './sender.js';
import { Tallies } from './tallies.js';
import { FakeGateway, type Reply } from './testing/fake-gateway.js';

let gateways: FakeGateway[];
let client: Client;
let tallies: Tallies;
let sender: Sender;

beforeEach(async () => {
  gateways = [await FakeGateway.start(), await FakeGateway.start()];
  client = new Client(gateways.map(({ url }) => url));
  tallies = new Tallies();
  sender = new Sender(client, tallies);
});
afterEach(async () => {
  await client.close();
  await Promise.all(gateways.map((gateway) => gateway.close()));
});

/** Sets the next responses, in order, whichever gateway is asked. */
function respondInOrder(...replies: (Reply | 'break')[]): void {
  for (const gateway of gateways) gateway.respond = () => replies.shift()!;
}
const write = () => sender.write({ method: 'POST', path: '/things', body: {}, idempotencyKey: 'a key' });
const outcomes = () => Object.fromEntries(tallies.lap().outcomes);
const unavailable = { status: 503, body: { code: 'service.unavailable' } };
const inProgress = { status: 409, body: { code: 'idempotency-key.in-progress' } };
const done = { status: 200, body: { done: true } };

describe('a write', () => {
  it('is retried with the same key at another gateway until it gets a response', async () => {
    respondInOrder(unavailable, inProgress, 'break', done);
    await expect(write()).resolves.toMatchObject({ response: { outcome: 200, body: { done: true } } });
    const sent = { request: 'POST /things', key: 'a key' };
    expect(gateways.map(({ received }) => received)).toEqual([
      [sent, sent],
      [sent, sent],
    ]);
    expect(outcomes()).toEqual({ 503: 1, 409: 1, 'no response': 1, 200: 1 });
  });

  it.each([
    ['a response of an unavailable service', unavailable, false],
    ['a response with an unknown effect', { status: 504, body: {} }, true],
    ['a fault', { status: 500, body: {} }, true],
    ['a connection that breaks', 'break' as const, true],
    ['a limit', { status: 429, body: {} }, false],
  ])('is uncertain after %s only if the attempt may have had an effect', async (_, first, isUncertain) => {
    respondInOrder(first, done);
    await expect(write()).resolves.toMatchObject({ isUncertain });
  });

  it('that was never sent is not uncertain', async () => {
    await gateways[0]!.close();
    gateways[1]!.respond = () => done;
    await expect(write()).resolves.toMatchObject({ response: { outcome: 200 }, isUncertain: false });
    expect(outcomes()).toEqual({ 'not connected': 1, 200: 1 });
  });

  it('is not retried after a rejection', async () => {
    respondInOrder({ status: 422, body: {} });
    await expect(write()).resolves.toMatchObject({ response: { outcome: 422 }, isUncertain: false });
  });

  it('is aborted when the load stops', async () => {
    for (const gateway of gateways) gateway.respond = () => unavailable;
    const settled = write();
    sender.stop();
    await expect(settled).resolves.toEqual({ response: undefined, isUncertain: false });
  });
});

it('waits for Retry-After', async () => {
  respondInOrder({ ...unavailable, headers: { 'retry-after': '1' } }, done);
  const since = performance.now();
  await write();
  // Timers may be a millisecond early
  expect(performance.now() - since).toBeGreaterThan(990);
});

it('sends a read once', async () => {
  respondInOrder(unavailable);
  await expect(sender.read({ method: 'GET', path: '/things' })).resolves.toMatchObject({ outcome: 503 });
});

describe('tallies', () => {
  const look = { method: 'GET', path: '/things' } as const;
  const change = { method: 'PUT', path: '/things/1' } as const;

  it('report the first success of a matching request sent after the call', async () => {
    const early = performance.now() - 10;
    const first = tallies.firstSuccess(({ method }) => method === 'PUT');
    const resolved: string[] = [];
    void first.then(() => resolved.push('resolved'));
    tallies.ended(change, 200, early);
    tallies.ended(change, 503, performance.now());
    tallies.ended(look, 200, performance.now());
    await Promise.resolve();
    expect(resolved).toEqual([]);
    tallies.ended(change, 204, performance.now());
    await expect(first).resolves.toBeGreaterThanOrEqual(0);
  });

  it('restart with each lap', () => {
    tallies.ended(look, 200, performance.now() - 30);
    tallies.ended(look, 200, performance.now() - 10);
    tallies.ended(look, 'no response', performance.now());
    tallies.acknowledged();
    tallies.skip();
    const lap = tallies.lap();
    expect(lap).toMatchObject({ requests: 3, acknowledgedWrites: 1, skipped: 1 });
    expect(lap.lastFailureMs).toBeGreaterThan(0);
    expect(lap.durations).toEqual(lap.durations.toSorted((one, other) => one - other));
    expect(tallies.lap()).toMatchObject({ requests: 0, durations: [], lastFailureMs: 0, outcomes: new Map() });
  });
});
