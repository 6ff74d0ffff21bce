import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { imagePath, signFilePath } from '#contracts';
import { RawReply } from '#request-queue';
import { eventually } from '#testing';
import { type RawResponse, ResponseReader } from '../../../../e2e/fuzz/response-reader.js';
import { baseUrl, GatewayStack, send } from '../testing/gateway-stack.js';
import { RawClient } from '../testing/raw-client.js';

let stack: GatewayStack;
let url: string;
let behindProxy: string;
/** Names of the messages that the handlers made by `recordCalls` received. */
let requested: string[] = [];

const recordCalls = (name: string, json: string) => () => {
  requested.push(name);
  return RawReply.json(json);
};

beforeAll(async () => {
  stack = await GatewayStack.start({
    'choices.create': recordCalls('choices.create', '{"choice":{}}'),
    'favorites.delete': recordCalls('favorites.delete', '{"id":1,"count":1,"productId":1}'),
    'items.list': recordCalls('items.list', '{"items":[]}'),
    'images.render': recordCalls('images.render', '{"key":"none"}'),
    'products.list': () => RawReply.page('{"products":[]}', 20),
    'products.search': () => RawReply.page('{"products":[]}', null),
    'storefront.items': () => ({}),
  });
  url = await stack.gateway();
  behindProxy = await stack.gateway({ TRUSTED_PROXIES: 'loopback' });
});
afterAll(() => stack.close());
beforeEach(() => {
  requested = [];
});

interface Exchange {
  readonly responses: readonly RawResponse[];
  readonly statuses: readonly number[];
}

/**
 * Sends raw bytes, and reads until the gateway closes the connection or has sent `count` responses.
 */
function exchange(bytes: string | Buffer, count = Infinity): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const reader = new ResponseReader('GET');
    const socket = connect(Number(port), hostname, () =>
      socket.write(typeof bytes === 'string' ? latin1(bytes) : bytes),
    );
    const end = (): void => {
      socket.destroy();
      reader.end();
      resolve({ responses: reader.responses, statuses: reader.responses.map(({ status }) => status) });
    };
    socket.on('error', () => undefined).on('close', end);
    socket.on('data', (chunk: Buffer) => {
      reader.add(chunk);
      if (reader.responses.length >= count) end();
    });
  });
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const head = (...lines: readonly string[]): string =>
  [...lines, 'host: x', 'authorization: Bearer writer', 'content-type: application/json'].join('\r\n');
/** Bytes that another parser might treat as a separate request. */
const planted = `DELETE /api/v1/products/666/favorites HTTP/1.1\r\nhost: x\r\nauthorization: Bearer writer\r\n\r\n`;
const body = '{"title":"x"}';

const expectProblems = ({ responses }: Exchange): void => {
  for (const { status, headers, body, defect } of responses) {
    expect(defect).toBeUndefined();
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(JSON.parse(body.toString())).toMatchObject({ status, requestId: headers.get('x-request-id') });
  }
};

describe('ambiguous bytes', () => {
  const post = 'POST /api/v1/choices HTTP/1.1';
  const chunk = `d\r\n${body}\r\n0\r\n\r\n`;
  it.each([
    ['two lengths', head(post, 'content-length: 13', 'content-length: 4'), body],
    ['the same length twice', head(post, 'content-length: 13', 'content-length: 13'), body],
    ['a list of lengths', head(post, 'content-length: 13, 13'), body],
    ['a length with a sign', head(post, 'content-length: +13'), body],
    ['a negative length', head(post, 'content-length: -13'), body],
    ['a length in hexadecimal digits', head(post, 'content-length: 0xd'), body],
    ['an overflowing length', head(post, 'content-length: 99999999999999999999'), body],
    ['a length, then chunks', head(post, 'content-length: 13', 'transfer-encoding: chunked'), chunk],
    ['chunks, then a length', head(post, 'transfer-encoding: chunked', 'content-length: 13'), chunk],
    ['an unknown coding', head(post, 'transfer-encoding: xchunked'), chunk],
    ['chunked not as the last coding', head(post, 'transfer-encoding: chunked, identity'), chunk],
    ['two codings', head(post, 'transfer-encoding: chunked', 'transfer-encoding: x'), chunk],
    ['a space before the colon', head(post, 'transfer-encoding : chunked'), chunk],
    ['a folded line', head(post, 'x: y', ' transfer-encoding: chunked'), chunk],
    ['a bare line feed', head(post, 'x: y\ntransfer-encoding: chunked'), chunk],
    ['a bare carriage return', head(post, 'x: y\rtransfer-encoding: chunked'), chunk],
    ['NUL in a name', head(post, 'x\0: y'), ''],
    ['NUL in a value', head(post, 'x: a\0b'), ''],
    ['a header without a name', head(post, ': y'), ''],
    ['a size with 0x', head(post, 'transfer-encoding: chunked'), `0xd\r\n${body}\r\n0\r\n\r\n`],
    ['a negative size', head(post, 'transfer-encoding: chunked'), `-1\r\n${body}\r\n0\r\n\r\n`],
    ['an overflowing size', head(post, 'transfer-encoding: chunked'), `ffffffffffffffffd\r\n${body}\r\n0\r\n\r\n`],
    ['a size with bare line feeds', head(post, 'transfer-encoding: chunked'), `d\n${body}\n0\n\n`],
    ['a chunk longer than its size', head(post, 'transfer-encoding: chunked'), `4\r\n${body}\r\n0\r\n\r\n`],
    ['extensions without an end', head(post, 'transfer-encoding: chunked'), `d;${'a'.repeat(20_000)}\r\n${body}`],
  ])('are rejected, and the connection is closed: %s', async (_, lines, sent) => {
    const result = await exchange(`${lines}\r\n\r\n${sent}${planted}`);
    expect(result.statuses).toEqual([400]);
    expectProblems(result);
    expect(result.responses[0]!.headers.get('connection')).toBe('close');
    expect(requested).toEqual([]);
  });

  it('are the next request after a body', async () => {
    const result = await exchange(`${head(post, 'content-length: 13')}\r\n\r\n${body}${planted}`, 2);
    expect(result.statuses).toEqual([200, 200]);
    expect(requested).toEqual(['choices.create', 'favorites.delete']);
  });

  it('are the body of a GET with Content-Length', async () => {
    const get = head('GET /api/v1/items HTTP/1.1', `content-length: ${planted.length}`, 'connection: close');
    const result = await exchange(`${get}\r\n\r\n${planted}`);
    expect([result.statuses, requested]).toEqual([[200], ['items.list']]);
  });

  it.each([' HTTP/1.0', ' HTTP/0.9', ' HTTP/2.0', ''])(
    'are ignored after a request of another version: %j',
    async (version) => {
      await exchange(`${head(`GET /api/v1/items${version}`)}\r\n\r\n${planted}`);
      expect(requested).not.toContain('favorites.delete');
    },
  );
});

describe('an unsupported method', () => {
  it.each([
    ['TRACE / HTTP/1.1', 405],
    ['OPTIONS * HTTP/1.1', 404],
    ['GET * HTTP/1.1', 404],
    ['PROPFIND /api/v1/items HTTP/1.1', 405],
    ['M-SEARCH * HTTP/1.1', 404],
    ['POST /*/x HTTP/1.1', 404],
    ['POST /:a(((/x HTTP/1.1', 404],
    ['POST /:user HTTP/1.1', 404],
    ['POST /problems HTTP/1.1', 405],
  ])('is rejected: %s', async (line, status) => {
    const result = await exchange(`${head(line, 'connection: close')}\r\n\r\n`);
    expect(result.statuses).toEqual([status]);
    expectProblems(result);
  });

  it('closes the connection for CONNECT', async () => {
    const result = await exchange(`${head('CONNECT evil.example:443 HTTP/1.1')}\r\n\r\n${planted}`);
    expect([result.statuses.filter((it) => it < 400), requested]).toEqual([[], []]);
  });

  it('is not offered: an upgrade request gets a regular response', async () => {
    const upgrade = head('GET /api/v1/items HTTP/1.1', 'connection: upgrade, close', 'upgrade: websocket');
    expect((await exchange(`${upgrade}\r\n\r\n`, 1)).statuses).toEqual([200]);
  });
});

describe('an oversized request', () => {
  const get = 'GET /api/v1/items HTTP/1.1';
  it.each([
    ['a URL of 1 MB', head(`GET /${'x'.repeat(1_048_576)} HTTP/1.1`)],
    ['a header of 1 MB', head(get, `x: ${'x'.repeat(1_048_576)}`)],
    ['10,000 headers', head(get, ...Array.from({ length: 10_000 }, (_, n) => `x-${n}: y`))],
    ['a cookie of 20 KB', head(get, `cookie: ${'a=1;'.repeat(5_000)}`)],
  ])('is rejected with a problem document that arrives: %s', async (_, lines) => {
    const result = await exchange(`${lines}\r\n\r\n`);
    expect(result.statuses).toEqual([431]);
    expectProblems(result);
    expect(requested).toEqual([]);
  });

  it('is rejected with a problem document for a client that sends everything before it reads', async () => {
    const client = await RawClient.to(await stack.gateway({}, { lingerMs: 60_000 }));
    client.socket.pause();
    client.send(`${head(get)}\r\nx: `);
    for (let piece = 0; piece < 10; piece += 1) {
      client.send('x'.repeat(20_000));
      await setImmediate();
    }
    client.socket.resume();
    await client.waitForClose();
    expect(client.statuses).toEqual([431]);
  });

  it('is discarded for a limited time from a client that sends without end', async () => {
    const { hostname, port } = new URL(await stack.gateway({}, { lingerMs: 500 }));
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = '';
    let receivedAt = Infinity;
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        received += String(bytes);
        receivedAt = Math.min(receivedAt, performance.now());
      });
    socket.write(`${head(get)}\r\nx: `);
    const timer = setInterval(() => socket.write('x'.repeat(20_000)), 20);
    await eventually('the end of the connection', () => socket.closed);
    clearInterval(timer);
    expect(received).toMatch(/^HTTP\/1.1 431 /);
    expect(performance.now() - receivedAt).toBeGreaterThan(300);
  });

  it('is accepted within the limits: 20,000 chunks of one byte, 3,000 parameters', async () => {
    const text = JSON.stringify({ title: 'x', x: 'x'.repeat(20_000) });
    const chunks = text.replaceAll(/./g, '1\r\n$&\r\n');
    const post = head('POST /api/v1/choices HTTP/1.1', 'transfer-encoding: chunked', 'connection: close');
    expect((await exchange(`${post}\r\n\r\n${chunks}0\r\n\r\n`)).statuses).toEqual([200]);
    const many = head(`GET /api/v1/items?${'a=1&'.repeat(3_000)} HTTP/1.1`, 'connection: close');
    expect((await exchange(`${many}\r\n\r\n`)).statuses).toEqual([200]);
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x-gzip'])('is rejected if compressed: %s', async (coding) => {
    const bomb = gzipSync(Buffer.alloc(2_000_000));
    for (const [path, type] of [
      ['/api/v1/choices', 'application/json'],
      ['/sign-in', 'application/x-www-form-urlencoded'],
    ]) {
      const lines = head(`POST ${path} HTTP/1.1`, `content-encoding: ${coding}`, 'connection: close');
      const length = `content-length: ${bomb.length}`;
      const bytes = [lines.replace('application/json', type!), length, '', ''].join('\r\n');
      const { statuses } = await exchange(Buffer.concat([latin1(bytes), bomb]));
      expect([path, statuses]).toEqual([path, [415]]);
    }
  });
});

describe('a host from the client', () => {
  const evil = 'planted-host.example';
  const hostHeaders = [
    `host: ${evil}`,
    `x-forwarded-host: ${evil}`,
    'x-forwarded-proto: gopher',
    `forwarded: host=${evil}`,
  ];
  const paths = [
    ...[
      '/api/v1/products?limit=20',
      '/api/v1/schema',
      '/api/v1/openapi.json',
      '/.well-known/oauth-authorization-server',
    ],
    ...['/', '/account', '/sign-in', '/problems', '/docs', '/api/v1/nothing', '/oauth/authorize?client_id=x'],
  ];

  it.each(paths)('is not in the response of %s', async (path) => {
    for (const origin of [url, behindProxy])
      for (const target of [path, `http://${evil}${path}`]) {
        const { hostname, port } = new URL(origin);
        const text = await new Promise<string>((resolve) => {
          let all = '';
          const lines = [`GET ${target} HTTP/1.1`, ...hostHeaders, 'authorization: Bearer writer', 'accept: text/html'];
          const socket = connect(Number(port), hostname, () =>
            socket.write(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`),
          );
          socket.on('data', (chunk: Buffer) => (all += chunk.toString())).on('close', () => resolve(all));
        });
        expect(text).toMatch(/^HTTP\/1\.1 [2-5]\d\d /);
        expect(text).not.toContain(evil);
        expect(text).not.toContain('gopher');
        for (const [, location] of text.matchAll(/^location: (.*)\r$/gim)) expect(location).toMatch(/^\//);
      }
  });

  it('is not used in links', async () => {
    const { headers } = await send('GET', `${behindProxy}/api/v1/products?limit=20`, {
      token: 'writer',
      headers: { 'x-forwarded-host': evil },
    });
    expect(headers.get('link')).toBe(`<${baseUrl}/api/v1/products?limit=20&offset=20>; rel="next"`);
  });
});

describe('an image URL with path traversal', () => {
  const file = '12/1763629200-200x200.png';
  const signed = `h=${signFilePath(file, 'a secret that is long enough for a key')}&printed=true`;
  const get = (path: string) =>
    exchange(`${head(`GET ${imagePath}/${path}?${signed} HTTP/1.1`, 'connection: close')}\r\n\r\n`);

  it.each([
    ...['..', '%2e%2e', '%252e%252e', '..%2f..', '..%5c..', '.', 'x%00', '%ef%bc%8e%ef%bc%8e', 'x'.repeat(65)].map(
      (name) => `323x323/${name}/s/white/${file}.webp`,
    ),
    `../../../etc/passwd`,
    `%2e%2e/%2e%2e/etc/passwd`,
    `323x323/mug/s/white/../../../${file}.webp`,
    `323x323/mug/s/white/${file}/../../../etc/passwd`,
  ])('is not found, although it is signed, and is not sent to a service: %s', async (path) => {
    const result = await get(path);
    expect([result.statuses, requested]).toEqual([[404], []]);
    expectProblems(result);
  });

  it('would be rendered with valid names', async () => {
    await get(`323x323/mug/s/white/${file}.webp`);
    expect(requested).toContain('images.render');
  });
});

describe('line breaks and escapes from a client', () => {
  const odd = '%0d%0ax-planted:%201%0d%0a%0d%0a';

  it.each([
    `/language/ja?to=/${odd}`,
    `/sign-in?to=/${odd}`,
    `/account?x=${odd}`,
    `/api/v1/products?limit=20&q=${odd}`,
    `/images/v1/${odd}`,
    `/oauth/authorize?client_id=x&state=${odd}&redirect_uri=${odd}`,
    `/${odd}`,
  ])('do not add a response header: %s', async (path) => {
    const { responses } = await exchange(`${head(`GET ${path} HTTP/1.1`, 'connection: close')}\r\n\r\n`);
    expect(responses).toHaveLength(1);
    expect(responses[0]!.defect).toBeUndefined();
    expect(responses[0]!.headers.has('x-planted')).toBe(false);
  });

  it('are not in the log', async () => {
    const noisy = await stack.gateway({ LOG_LEVEL: 'debug' });
    const before = stack.logged.length;
    // Terminal control characters from 128 on are valid in a header
    const controls = '\u009b31m\u0085';
    const lines = ['x-request-id', 'user-agent', 'traceparent', 'referer', 'accept'].map(
      (name) => `${name}: ${controls}`,
    );
    const { hostname, port } = new URL(noisy);
    for (const path of [`/api/v1/products/${odd}%1b[31m`, `/images/v1/%1b[31m${odd}`, `/%1b[2J`])
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () =>
          socket.write(latin1(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`)),
        );
        socket.on('close', () => resolve()).resume();
      });
    const logged = stack.logged.slice(before);
    expect(logged.filter(({ msg }) => msg.startsWith('GET '))).toHaveLength(3);
    for (const line of logged) expect(JSON.stringify(line)).not.toMatch(/x-planted|31m|2J|\\u00|\\[nrt]|\p{Cc}/u);
  });
});

describe('Object.prototype', () => {
  it('is not changed by bodies, forms, queries or cookies', async () => {
    const json = '{"title":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    await send('POST', `${url}/api/v1/choices`, { token: 'writer', body: json });
    await send('GET', `${url}/api/v1/products?__proto__[polluted]=1&constructor[prototype][polluted]=1`, {
      token: 'writer',
      headers: { cookie: '__proto__=polluted; constructor=polluted; __proto__[polluted]=1' },
    });
    await send('POST', `${url}/oauth/token`, {
      body: '__proto__=x&__proto__[polluted]=1&constructor[prototype][polluted]=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(requested).toContain('choices.create');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
