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

/** All gateways together answer one after the other. */
function answerInTurn(...replies: (Reply | 'break')[]): void {
  for (const gateway of gateways) gateway.answer = () => replies.shift()!;
}
const write = () => sender.write({ method: 'POST', path: '/things', body: {}, idempotencyKey: 'a key' });
const endings = () => Object.fromEntries(tallies.lap().endings);
const unavailable = { status: 503, body: { code: 'service.unavailable' } };
const inProgress = { status: 409, body: { code: 'idempotency-key.in-progress' } };
const done = { status: 200, body: { done: true } };

describe('a write', () => {
  it('is sent with the same key to another gateway until it is answered', async () => {
    answerInTurn(unavailable, inProgress, 'break', done);
    await expect(write()).resolves.toMatchObject({ answer: { ending: 200, body: { done: true } } });
    const sent = { request: 'POST /things', key: 'a key' };
    expect(gateways.map(({ received }) => received)).toEqual([
      [sent, sent],
      [sent, sent],
    ]);
    expect(endings()).toEqual({ 503: 1, 409: 1, 'no answer': 1, 200: 1 });
  });

  it.each([
    ['an answer of a part that is down', unavailable, false],
    ['an answer that nobody knows', { status: 504, body: {} }, true],
    ['a fault', { status: 500, body: {} }, true],
    ['a connection that breaks', 'break' as const, true],
    ['a limit', { status: 429, body: {} }, false],
  ])('after %s: doubtful is %3$s', async (_, first, isDoubtful) => {
    answerInTurn(first, done);
    await expect(write()).resolves.toMatchObject({ isDoubtful });
  });

  it('that was never sent is not doubtful', async () => {
    await gateways[0]!.close();
    gateways[1]!.answer = () => done;
    await expect(write()).resolves.toMatchObject({ answer: { ending: 200 }, isDoubtful: false });
    expect(endings()).toEqual({ 'not connected': 1, 200: 1 });
  });

  it('is not sent again when it was refused', async () => {
    answerInTurn({ status: 422, body: {} });
    await expect(write()).resolves.toMatchObject({ answer: { ending: 422 }, isDoubtful: false });
  });

  it('is given up when the load stops', async () => {
    for (const gateway of gateways) gateway.answer = () => unavailable;
    const settled = write();
    sender.stop();
    await expect(settled).resolves.toEqual({ answer: undefined, isDoubtful: false });
  });
});

it('waits as long as the answer asks for', async () => {
  answerInTurn({ ...unavailable, headers: { 'retry-after': '1' } }, done);
  const since = performance.now();
  await write();
  // Timers may be a millisecond early
  expect(performance.now() - since).toBeGreaterThan(990);
});

it('sends a read once', async () => {
  answerInTurn(unavailable);
  await expect(sender.read({ method: 'GET', path: '/things' })).resolves.toMatchObject({ ending: 503 });
});

describe('tallies', () => {
  const look = { method: 'GET', path: '/things' } as const;
  const change = { method: 'PUT', path: '/things/1' } as const;

  it('tell the first success that was begun after the question, of those that are asked about', async () => {
    const early = performance.now() - 10;
    const first = tallies.firstSuccess(({ method }) => method === 'PUT');
    const told: string[] = [];
    void first.then(() => told.push('told'));
    tallies.ended(change, 200, early);
    tallies.ended(change, 503, performance.now());
    tallies.ended(look, 200, performance.now());
    await Promise.resolve();
    expect(told).toEqual([]);
    tallies.ended(change, 204, performance.now());
    await expect(first).resolves.toBeGreaterThanOrEqual(0);
  });

  it('begin anew with each lap', () => {
    tallies.ended(look, 200, performance.now() - 30);
    tallies.ended(look, 200, performance.now() - 10);
    tallies.ended(look, 'no answer', performance.now());
    tallies.acknowledged();
    tallies.held();
    const lap = tallies.lap();
    expect(lap).toMatchObject({ requests: 3, acknowledgedWrites: 1, heldBack: 1 });
    expect(lap.lastFailureMs).toBeGreaterThan(0);
    expect(lap.durations).toEqual(lap.durations.toSorted((one, other) => one - other));
    expect(tallies.lap()).toMatchObject({ requests: 0, durations: [], lastFailureMs: 0, endings: new Map() });
  });
});
