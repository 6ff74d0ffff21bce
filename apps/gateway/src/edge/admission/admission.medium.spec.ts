import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { problems, serviceNames } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall, RawReply } from '#request-queue';
import { eventually } from '#testing';
import { type TestResponse, GatewayStack, send } from '../../testing/gateway-stack.js';
import { Admission } from './admission.js';
import { AdaptiveConcurrencyLimit } from '#concurrency';

let stack: GatewayStack;
let url: string;
/** Functions that each send one delayed reply of a service. */
let releases: (() => void)[] = [];
/** Delayed replies by request id, because the gateway sends a slow request a second time. */
const delayed = new Map<string, Promise<unknown>>();

function delayedReply(): Promise<unknown> {
  const { requestId } = currentCall()!;
  const existing = delayed.get(requestId);
  if (existing) return existing;
  const reply = new Promise((resolve) => releases.push(() => resolve(RawReply.json('{}'))));
  delayed.set(requestId, reply);
  return reply;
}

beforeAll(async () => {
  stack = await GatewayStack.start({
    'products.get': delayedReply,
    'materials.text': delayedReply,
  });
  const introspect = stack.handlers['tokens.introspect']! as (request: { token: string }) => unknown;
  stack.handlers['tokens.introspect'] = async (request: { token: string }) => {
    if (!request.token.startsWith('junk')) return introspect(request);
    await delayedReply();
    return { active: false };
  };
  // Of four permits one caller gets three: a caller with n permits gets another one while more than
  // n/2 are free
  url = await stack.gateway({ MAX_CONCURRENT_REQUESTS: '4', TRUSTED_PROXIES: 'loopback' });
});
afterAll(() => stack.close());

let pendingResponses: Promise<TestResponse>[] = [];
const open = (path: string, sent: Parameters<typeof send>[2] = {}, method = 'GET'): Promise<TestResponse> => {
  const response = send(method, `${url}${path}`, sent);
  pendingResponses.push(response);
  return response;
};
const product = (token: string, headers = {}) => open('/api/v1/products/1', { token, headers });

/** Waits until `count` replies are delayed. */
const waitForDelayed = (count: number) => eventually(`${count} delayed`, () => releases.length === count);

/** Opens requests with delayed replies, one after the other. */
async function openDelayed(count: number, openOne: () => unknown): Promise<void> {
  for (let n = 0; n < count; n++) {
    const before = releases.length;
    openOne();
    await waitForDelayed(before + 1);
  }
}

/** Releases all delayed replies, and returns the statuses of all responses. */
async function releaseAll(): Promise<number[]> {
  for (const releaseOne of releases) releaseOne();
  const responses = await Promise.all(pendingResponses);
  [releases, pendingResponses] = [[], []];
  return responses.map(({ status }) => status);
}
afterEach(() => releaseAll());

describe('a user with many open requests', () => {
  it('gets further requests rejected with a complete problem, and others do not', async () => {
    await openDelayed(3, () => product('writer'));
    const rejected = await open('/api/v1/products/1', { token: 'writer', headers: { 'x-request-id': 'mine' } });
    expect([rejected.status, rejected.body.code]).toEqual([503, 'service.overloaded']);
    expect(rejected.body.requestId).toBe('mine');
    expect(Object.fromEntries(rejected.headers)).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '1',
      'x-request-id': 'mine',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
    });
    await openDelayed(1, () => product('other-writer'));
    expect(await releaseAll()).toEqual([200, 200, 200, 503, 200]);
    await openDelayed(1, () => product('writer'));
  });

  it('is rejected before the body is read', async () => {
    await openDelayed(3, () => product('writer'));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const head = ['POST /api/v1/products/1/favorites HTTP/1.1', 'Host: x', 'Authorization: Bearer writer'];
    socket.write([...head, 'Content-Type: application/json', 'Content-Length: 9999', '', ''].join('\r\n'));
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 503 /);
    socket.destroy();
  });

  it('gets permits back when the client disconnects', async () => {
    const disconnected = new AbortController();
    const headers = { authorization: 'Bearer writer' };
    const all = [1, 2, 3].map(() =>
      fetch(`${url}/api/v1/products/1`, { signal: disconnected.signal, headers }).catch(() => null),
    );
    await waitForDelayed(3);
    disconnected.abort();
    await Promise.all(all);
    await eventually('a free permit', async () => {
      const response = product('writer');
      return (await Promise.race([response.then(({ status }) => status), waitForDelayed(4).then(() => 200)])) === 200;
    });
  });
});

/** Headers of a trusted proxy. */
const from = (address: string) => ({ 'x-forwarded-for': address });

describe('an unknown caller', () => {
  it('counts by the address of the proxy header, whatever token is sent', async () => {
    await openDelayed(3, () => product(`junk-${releases.length}`, from('192.0.2.1')));
    expect((await product('junk-4', from('192.0.2.1'))).status).toBe(503);
    expect((await open('/problems', { headers: from('192.0.2.1') })).status).toBe(503);
    expect((await open('/problems', { headers: from('192.0.2.2') })).status).toBe(200);
    expect(await releaseAll()).toEqual([401, 401, 401, 503, 503, 200]);
  });

  it('counts by the network of an IPv6 address', async () => {
    for (const last of ['1', '2', '3']) await openDelayed(1, () => product(`junk-${last}`, from(`2001:db8::${last}`)));
    expect((await open('/problems', { headers: from('2001:db8::ffff') })).status).toBe(503);
    expect((await open('/problems', { headers: from('2001:db8:0:1::1') })).status).toBe(200);
  });

  it('counts by user after authentication', async () => {
    for (const user of ['writer', 'other-writer', 'reader'])
      await openDelayed(1, () => product(user, from('192.0.2.1')));
    expect((await open('/problems', { headers: from('192.0.2.1') })).status).toBe(200);
  });
});

describe('when all permits are in use', () => {
  it('images and uploads have separate permits, and health checks need none', async () => {
    await openDelayed(4, () => product(`junk-${releases.length}`, from(`192.0.2.${releases.length}`)));
    expect((await open('/api/v1/products/1', { token: 'writer' })).status).toBe(503);
    expect((await open('/health/live')).status).toBe(200);
    expect((await open('/images/v1/nothing')).status).toBe(404);
    await openDelayed(1, () => open('/api/v1/materials/text', { token: 'writer', body: { text: 'x' } }, 'POST'));
  });

  it('forms that create a material have the permits of uploads, and do not change the adaptive limit', async () => {
    const recorded = jest.spyOn(AdaptiveConcurrencyLimit.prototype, 'record');
    await openDelayed(4, () => product(`junk-${releases.length}`, from(`192.0.2.${releases.length}`)));
    const { body, headers } = multipart();
    expect((await open('/materials/new', { body, headers }, 'POST')).status).toBe(403);
    const text = { body: 'text=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await open('/materials/new/text', text, 'POST')).status).toBe(403);
    expect((await open('/account/profile', text, 'POST')).status).toBe(503);
    expect(recorded).not.toHaveBeenCalled();
    recorded.mockRestore();
  });
});

const multipart = () => ({
  body: '--x\r\ncontent-disposition: form-data; name="csrf"\r\n\r\nx\r\n--x--\r\n',
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
});

describe('a page', () => {
  it('counts for its user after the session check', async () => {
    stack.handlers['sessions.show'] = ({ session }: { session: string }) => ({
      active: true,
      user: {
        id: session.startsWith('1') ? 1 : 2,
        name: 'hanako',
        displayName: null,
        email: 'h@example.com',
        hasPassword: true,
        isRecent: true,
        emailConfirmed: true,
      },
    });
    await openDelayed(3, () => product('writer', from('192.0.2.1')));
    const page = (user: string) =>
      open('/problems', { headers: { ...from('192.0.2.2'), cookie: `__Host-session=${user.repeat(43)}` } });
    expect([(await page('2')).status, (await page('1')).status]).toEqual([200, 503]);
  });
});

describe('an early rejection', () => {
  /** Returns a response without its date and request id. */
  const common = ({ status, headers, body }: TestResponse) => {
    const { date, 'x-request-id': requestId, ...others } = Object.fromEntries(headers);
    return { status, body: { ...body, requestId: typeof requestId }, headers: others, date: typeof date };
  };

  it('equals a rejection by the framework', async () => {
    await openDelayed(2, () => open('/api/v1/materials/text', { token: 'writer', body: { text: 'x' } }, 'POST'));
    const tryAdmit = jest.spyOn(Admission.prototype, 'tryAdmit');
    const byFramework = await open('/api/v1/materials/text', { token: 'writer', body: { text: 'x' } }, 'POST');
    expect(tryAdmit).toHaveBeenCalledTimes(1);
    await openDelayed(3, () => product('writer'));
    tryAdmit.mockClear();
    const before = await product('writer');
    expect(tryAdmit).not.toHaveBeenCalled();
    tryAdmit.mockRestore();
    expect(before.status).toBe(503);
    expect(common(before)).toEqual(common(byFramework));
  });

  it('does not apply to preflight requests and unknown users', async () => {
    await openDelayed(3, () => product('writer'));
    const { origin } = new URL(url);
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const response = await fetch(`${origin}/api/v1/products/1`, {
      method: 'OPTIONS',
      headers: { ...preflight, authorization: 'Bearer writer' },
    });
    expect(response.status).toBe(204);
    expect((await open('/api/v1/products/1', { token: 'nobody' })).status).toBe(401);
  });
});

describe('the response time', () => {
  it('excludes the time in which the client sends', async () => {
    const recorded = jest.spyOn(AdaptiveConcurrencyLimit.prototype, 'record');
    const slow = connect(Number(new URL(url).port), '127.0.0.1');
    const head = ['POST /api/v1/products/1/favorites HTTP/1.1', 'Host: x', 'Authorization: Bearer writer'];
    slow.write([...head, 'Content-Type: application/json', 'Content-Length: 2', '', '{'].join('\r\n'));
    await sleep(300);
    const sent = performance.now();
    slow.write('}');
    await once(slow, 'data');
    const sinceSent = performance.now() - sent;
    slow.destroy();
    expect(recorded.mock.calls.map(([tookMs]) => tookMs < sinceSent)).toEqual([true]);
    recorded.mockRestore();
  });
});

describe('/health/ready', () => {
  it('sends one request per service for concurrent checks', async () => {
    const requestIds = new Set<string>();
    let arrived = 0;
    stack.apps[0]!.getHttpServer().on('request', () => (arrived += 1));
    stack.handlers['health.check'] = async () => {
      requestIds.add(`${currentCall()!.service} ${currentCall()!.requestId}`);
      await eventually('all concurrent checks', () => arrived >= 20);
      return { status: 'ok' };
    };
    const responses = await Promise.all(Array.from({ length: 20 }, () => open('/health/ready')));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(requestIds.size).toBe(serviceNames.length);
  });

  it('reports an overloaded service as available', async () => {
    stack.handlers['health.check'] = () => {
      throw new DomainError(problems['service.overloaded'], 'Too many requests wait already.');
    };
    await eventually('ready', async () => (await open('/health/ready')).status === 200);
    stack.handlers['health.check'] = () => {
      throw new DomainError(problems['service.unavailable'], 'The database is not reachable.');
    };
    await eventually('not ready', async () => (await open('/health/ready')).status === 503);
  });
});
