import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { problems, serviceNames } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall, RawReply } from '#request-queue';
import { eventually } from '#testing';
import { type Answer, GatewayStack, send } from '../../testing/gateway-stack.js';
import { Admission } from './admission.js';
import { AdaptiveConcurrencyLimit } from '#concurrency';

let stack: GatewayStack;
let url: string;
/** Ends the answers that the services hold back. */
let release: (() => void)[] = [];
/** By request: a service that is slow is asked a second time. */
const holds = new Map<string, Promise<unknown>>();

function held(): Promise<unknown> {
  const { requestId } = currentCall()!;
  const known = holds.get(requestId);
  if (known) return known;
  const hold = new Promise((resolve) => release.push(() => resolve(RawReply.json('{}'))));
  holds.set(requestId, hold);
  return hold;
}

beforeAll(async () => {
  stack = await GatewayStack.start({
    'products.get': held,
    'materials.text': held,
  });
  const known = stack.answers['tokens.introspect']! as (request: { token: string }) => unknown;
  stack.answers['tokens.introspect'] = async (request: { token: string }) => {
    if (!request.token.startsWith('junk')) return known(request);
    await held();
    return { active: false };
  };
  // Of four places somebody alone gets three: half as many must be free for one more
  url = await stack.gateway({ REQUESTS_AT_ONCE: '4', TRUSTED_PROXIES: 'loopback' });
});
afterAll(() => stack.close());

let asked: Promise<Answer>[] = [];
const open = (path: string, sent: Parameters<typeof send>[2] = {}, method = 'GET'): Promise<Answer> => {
  const answer = send(method, `${url}${path}`, sent);
  asked.push(answer);
  return answer;
};
const product = (token: string, headers = {}) => open('/api/v1/products/1', { token, headers });

/** Until so many are held back by a service. */
const areHeld = (count: number) => eventually(`${count} held`, () => release.length === count);

/** Opens requests that are held back, one after the other. */
async function hold(count: number, ask: () => unknown): Promise<void> {
  for (let n = 0; n < count; n++) {
    const before = release.length;
    ask();
    await areHeld(before + 1);
  }
}

async function endAll(): Promise<number[]> {
  for (const end of release) end();
  const answers = await Promise.all(asked);
  [release, asked] = [[], []];
  return answers.map(({ status }) => status);
}
afterEach(() => endAll());

describe('a user who has many requests open', () => {
  it('is refused further ones, soon and with all that a client needs, and others are not', async () => {
    await hold(3, () => product('writer'));
    const refused = await open('/api/v1/products/1', { token: 'writer', headers: { 'x-request-id': 'mine' } });
    expect([refused.status, refused.body.code]).toEqual([503, 'service.overloaded']);
    expect(refused.body.requestId).toBe('mine');
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '1',
      'x-request-id': 'mine',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
    });
    await hold(1, () => product('other-writer'));
    expect(await endAll()).toEqual([200, 200, 200, 503, 200]);
    await hold(1, () => product('writer'));
  });

  it('is refused before the body is read', async () => {
    await hold(3, () => product('writer'));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const head = ['POST /api/v1/products/1/favorites HTTP/1.1', 'Host: x', 'Authorization: Bearer writer'];
    socket.write([...head, 'Content-Type: application/json', 'Content-Length: 9999', '', ''].join('\r\n'));
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 503 /);
    socket.destroy();
  });

  it('gets places back when the client goes away', async () => {
    const gone = new AbortController();
    const headers = { authorization: 'Bearer writer' };
    const all = [1, 2, 3].map(() =>
      fetch(`${url}/api/v1/products/1`, { signal: gone.signal, headers }).catch(() => null),
    );
    await areHeld(3);
    gone.abort();
    await Promise.all(all);
    await eventually('a place', async () => {
      const answer = product('writer');
      return (await Promise.race([answer.then(({ status }) => status), areHeld(4).then(() => 200)])) === 200;
    });
  });
});

/** From behind a proxy that this gateway believes. */
const from = (address: string) => ({ 'x-forwarded-for': address });

describe('who nobody knows', () => {
  it('counts as the address, which the proxy tells, whatever token is claimed', async () => {
    await hold(3, () => product(`junk-${release.length}`, from('192.0.2.1')));
    expect((await product('junk-4', from('192.0.2.1'))).status).toBe(503);
    expect((await open('/problems', { headers: from('192.0.2.1') })).status).toBe(503);
    expect((await open('/problems', { headers: from('192.0.2.2') })).status).toBe(200);
    expect(await endAll()).toEqual([401, 401, 401, 503, 503, 200]);
  });

  it('counts as the network of an IPv6 address: one person has millions of them', async () => {
    for (const last of ['1', '2', '3']) await hold(1, () => product(`junk-${last}`, from(`2001:db8::${last}`)));
    expect((await open('/problems', { headers: from('2001:db8::ffff') })).status).toBe(503);
    expect((await open('/problems', { headers: from('2001:db8:0:1::1') })).status).toBe(200);
  });

  it('counts as the user from the moment on in which that is known', async () => {
    for (const user of ['writer', 'other-writer', 'reader']) await hold(1, () => product(user, from('192.0.2.1')));
    expect((await open('/problems', { headers: from('192.0.2.1') })).status).toBe(200);
  });
});

describe('when all places are taken', () => {
  it('images and uploads have theirs, and questions for health need none', async () => {
    await hold(4, () => product(`junk-${release.length}`, from(`192.0.2.${release.length}`)));
    expect((await open('/api/v1/products/1', { token: 'writer' })).status).toBe(503);
    expect((await open('/health/live')).status).toBe(200);
    expect((await open('/images/v1/nothing')).status).toBe(404);
    await hold(1, () => open('/api/v1/materials/text', { token: 'writer', body: { text: 'x' } }, 'POST'));
  });
});

describe('a refusal before the framework', () => {
  /** What does not belong to one answer alone. */
  const common = ({ status, headers, body }: Answer) => {
    const { date, 'x-request-id': requestId, ...others } = Object.fromEntries(headers);
    return { status, body: { ...body, requestId: typeof requestId }, headers: others, date: typeof date };
  };

  it('says the same as one by it, which it never was near to', async () => {
    await hold(2, () => open('/api/v1/materials/text', { token: 'writer', body: { text: 'x' } }, 'POST'));
    const entered = jest.spyOn(Admission.prototype, 'enter');
    const byFramework = await open('/api/v1/materials/text', { token: 'writer', body: { text: 'x' } }, 'POST');
    expect(entered).toHaveBeenCalledTimes(1);
    await hold(3, () => product('writer'));
    entered.mockClear();
    const before = await product('writer');
    expect(entered).not.toHaveBeenCalled();
    entered.mockRestore();
    expect(before.status).toBe(503);
    expect(common(before)).toEqual(common(byFramework));
  });

  it('is none for who only asks what is allowed, and none without a known user', async () => {
    await hold(3, () => product('writer'));
    const { origin } = new URL(url);
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    const answer = await fetch(`${origin}/api/v1/products/1`, {
      method: 'OPTIONS',
      headers: { ...preflight, authorization: 'Bearer writer' },
    });
    expect(answer.status).toBe(204);
    expect((await open('/api/v1/products/1', { token: 'nobody' })).status).toBe(401);
  });
});

describe('the time of an answer', () => {
  it('is that of the services, however slowly the client sends', async () => {
    const noted = jest.spyOn(AdaptiveConcurrencyLimit.prototype, 'record');
    const slow = connect(Number(new URL(url).port), '127.0.0.1');
    const head = ['POST /api/v1/products/1/favorites HTTP/1.1', 'Host: x', 'Authorization: Bearer writer'];
    slow.write([...head, 'Content-Type: application/json', 'Content-Length: 2', '', '{'].join('\r\n'));
    await sleep(300);
    const sent = performance.now();
    slow.write('}');
    await once(slow, 'data');
    const sinceSent = performance.now() - sent;
    slow.destroy();
    expect(noted.mock.calls.map(([tookMs]) => tookMs < sinceSent)).toEqual([true]);
    noted.mockRestore();
  });
});

describe('/health/ready', () => {
  it('asks the services once for all who ask at the same time', async () => {
    const asked = new Set<string>();
    let arrived = 0;
    stack.apps[0]!.getHttpServer().on('request', () => (arrived += 1));
    stack.answers['health.check'] = async () => {
      asked.add(`${currentCall()!.service} ${currentCall()!.requestId}`);
      await eventually('all who ask', () => arrived >= 20);
      return { status: 'ok' };
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => open('/health/ready')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(asked.size).toBe(serviceNames.length);
  });

  it('says that a service is there that refuses because it has too much to do', async () => {
    stack.answers['health.check'] = () => {
      throw new DomainError(problems['service.overloaded'], 'Too many requests wait already.');
    };
    await eventually('ready', async () => (await open('/health/ready')).status === 200);
    stack.answers['health.check'] = () => {
      throw new DomainError(problems['service.unavailable'], 'The database is not reachable.');
    };
    await eventually('not ready', async () => (await open('/health/ready')).status === 503);
  });
});
