import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { eventually, TcpProxy } from '#testing';
import { GatewayStack } from '../../../gateway/src/testing/gateway-stack.js';
import { EventFollower } from './event-follower.js';

/** Fake of the event log, without events. */
let log: (request: Record<string, any>) => object;
let stack: GatewayStack;
let url: string;

const emptyLog = ({ after }: Record<string, any>) => ({
  events: [],
  hasNext: false,
  cursor: after === 'latest' ? '7' : after,
});
const event = {
  id: '00000000-0000-4000-8000-000000000005',
  type: 'sale.recorded',
  timestamp: '2026-11-26T09:00:00.000Z',
  userId: 1,
  sequence: 1,
  data: {},
};

beforeAll(async () => {
  stack = await GatewayStack.start({
    'events.follow': (request) => log(request),
    'events.newest': () => ({ userIds: [], cursor: '7' }),
  });
  const { 'tokens.introspect': introspect } = stack.handlers;
  stack.handlers['tokens.introspect'] = ({ token }: { token: string }) =>
    token === 'without-scope'
      ? { active: true, userId: 1, scopes: ['write'], tokenHash: 'd' }
      : introspect!({ token } as never);
  url = await stack.gateway();
});
beforeEach(() => {
  log = emptyLog;
});
afterAll(() => stack.close());

/** Starts a follower, and returns the promise of its first event. */
function firstEvent(apiKey: string, cursor = 'latest', at = url) {
  const stop = new AbortController();
  const printed: string[] = [];
  const options = { types: undefined, print: (line: string) => void printed.push(line), signal: stop.signal };
  const follower = new EventFollower({ url: at, apiKey }, cursor, options);
  return { follower, printed, stop, first: follower.events().next() };
}

it.each([
  ['an invalid key', 'invalid', 'is unknown, revoked or expired'],
  ['a token without the scope read', 'without-scope', 'lacks the scope read'],
])('rejects %s', async (_, apiKey, reason) => {
  await expect(firstEvent(apiKey).first).rejects.toThrow(
    `401 The access token ${reason}: set API_KEY to a personal API key, or to a token with the scope read.`,
  );
});

it('reports another rejection', async () => {
  log = () => {
    throw new DomainError(problems['request.operator-only'], 'Not allowed.');
  };
  await expect(firstEvent('writer').first).rejects.toThrow(/^403 Not allowed$/);
});

it('rejects an expired cursor', async () => {
  log = () => {
    throw new DomainError(problems['event.cursor-expired'], 'The cursor has expired.');
  };
  await expect(firstEvent('writer', '3').first).rejects.toThrow(
    '410 The cursor has expired: the log has lost events after 3. Read the resources, then start without --after.',
  );
});

it('retries while the service fails, and then continues after its cursor', async () => {
  log = () => {
    log = ({ after }) => ({
      events: [{ cursor: '5', event: { ...event, data: { after } } }],
      hasNext: false,
      cursor: '5',
    });
    throw new DomainError(problems['service.unavailable'], 'No database.');
  };
  const { first, printed, follower, stop } = firstEvent('writer', '4');
  expect(await first).toEqual({ done: false, value: { cursor: '5', json: expect.stringContaining('"after":"4"') } });
  expect(printed).toEqual([
    expect.stringMatching(/^Interrupted: 503 No database\. Reconnecting in [12] s\.$/),
    'Following the events after 4.',
  ]);
  expect(follower.cursor).toBe('4');
  stop.abort();
});

it('keeps trying to reach the gateway until it is stopped', async () => {
  const proxy = await TcpProxy.before(url);
  const closed = proxy.url;
  proxy.close();
  const { first, printed, stop } = firstEvent('writer', 'latest', closed);
  await eventually('two failures', () => printed.length === 2);
  stop.abort();
  expect(await first).toEqual({ done: true, value: undefined });
  expect(printed[1]).toMatch(/^Interrupted: ECONNREFUSED\. Reconnecting in \d s\.$/);
});
