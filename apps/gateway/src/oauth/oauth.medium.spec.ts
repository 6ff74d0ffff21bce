import { connect } from 'node:net';
import { type OAuthResponse, type OAuthParameters, problems } from '#contracts';
import { DomainError } from '#kernel';
import { baseUrl, GatewayStack, send } from '../testing/gateway-stack.js';

interface OAuthCall {
  readonly authorization: string | null;
  readonly form: OAuthParameters;
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const endpoints = ['token', 'revoke', 'introspect'] as const;

let stack: GatewayStack;
let url: string;
let calls: Record<string, OAuthCall[]> = {};
let reply: OAuthResponse | DomainError;

beforeAll(async () => {
  const handler = (name: string) => (it: OAuthCall) => {
    (calls[name] ??= []).push(it);
    if (reply instanceof DomainError) throw reply;
    return reply;
  };
  stack = await GatewayStack.start(Object.fromEntries(endpoints.map((name) => [`oauth.${name}`, handler(name)])));
  url = await stack.gateway({ ACCESS_TOKEN_TTL: '3600' });
});
afterAll(() => stack.close());
beforeEach(() => {
  calls = {};
  reply = { status: 200, headers: {}, body: { active: false } };
});

const post = (endpoint: string, body: string, headers: Record<string, string> = form) =>
  send('POST', `${url}/oauth/${endpoint}`, { body, headers });

describe.each(endpoints)('POST /oauth/%s', (endpoint) => {
  it('forwards the form and credentials, and returns the reply unchanged', async () => {
    reply = {
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="oauth"', pragma: 'no-cache' },
      body: { error: 'invalid_client', error_description: 'é' },
    };
    const headers = { ...form, authorization: 'Basic YTpi' };
    const response = await post(endpoint, 'code=a%2Bb+c&scope=&client_id=1&client_id=2', headers);
    expect(calls[endpoint]).toEqual([
      {
        authorization: 'Basic YTpi',
        form: { given: { code: 'a+b c', scope: '', client_id: '1' }, repeated: ['client_id'] },
      },
    ]);
    expect([response.status, response.body]).toEqual([401, reply.body]);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="oauth"');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('returns an empty object for a reply without a body', async () => {
    reply = { status: 200, headers: { 'cache-control': 'max-age=1' }, body: null };
    const response = await post(endpoint, '');
    expect([response.status, response.body, response.headers.get('cache-control')]).toEqual([200, {}, 'no-store']);
    expect(calls[endpoint]).toEqual([{ authorization: null, form: { given: {}, repeated: [] } }]);
  });

  it.each([
    ['application/json', '{"given":{"code":"a"},"repeated":[]}'],
    ['application/json', '{'],
    ['application/json', ''],
    ['multipart/form-data; boundary=x', '--x--'],
    ['text/plain', 'code=a'],
    ['', 'code=a'],
  ])('accepts forms only, not %s %s', async (type, body) => {
    const response = await post(endpoint, body, { 'content-type': type });
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
    expect(response.body.error_description).toContain('application/x-www-form-urlencoded');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(calls).toEqual({});
  });

  it('accepts a form with a charset', async () => {
    const type = 'Application/X-WWW-Form-Urlencoded; charset=UTF-8';
    expect((await post(endpoint, 'code=a', { 'content-type': type })).status).toBe(200);
  });

  it('rejects parameters in the query', async () => {
    for (const query of ['token=a', 'client_secret=a', 'code=a', 'access_token=a', 'x']) {
      const response = await post(`${endpoint}?${query}`, 'token=a');
      expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
      expect(JSON.stringify(response.body)).not.toContain('token=a');
    }
    expect(calls).toEqual({});
    expect((await post(`${endpoint}?`, 'token=a')).status).toBe(200);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('returns 405 with Allow: POST for %s', async (method) => {
    const response = await send(
      method,
      `${url}/oauth/${endpoint}`,
      method === 'PUT' ? { body: 'a=b', headers: form } : {},
    );
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    if (method !== 'HEAD') expect(response.body.error).toBe('invalid_request');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('rejects a form that is too large, also without Content-Length', async () => {
    const body = `code=${'x'.repeat(200_000)}`;
    const announced = await post(endpoint, body);
    expect([announced.status, announced.body.error]).toEqual([413, 'invalid_request']);
    const stream = new Response(body).body!;
    const chunked = await fetch(`${url}/oauth/${endpoint}`, {
      method: 'POST',
      headers: form,
      body: stream,
      duplex: 'half',
    } as never);
    expect([chunked.status, await chunked.json()]).toEqual([413, announced.body]);
    expect(calls).toEqual({});
  });

  it('returns OAuth errors if accounts is unavailable, slow or failing', async () => {
    const failing = async (error: DomainError) => {
      reply = error;
      const { status, body, headers } = await post(endpoint, 'code=very-secret');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      return [status, body.error, headers.get('retry-after')];
    };
    const retryAfter = { 'retry-after': '1' };
    expect(await failing(new DomainError(problems['service.unavailable'], 'Down.', undefined, retryAfter))).toEqual([
      ...[503, 'temporarily_unavailable', '1'],
    ]);
    expect(await failing(new DomainError(problems['service.no-answer'], 'Slow.'))).toEqual([
      ...[504, 'temporarily_unavailable', null],
    ]);
    expect(await failing(new DomainError(problems['service.failed'], 'Broken.'))).toEqual([500, 'server_error', null]);
    expect(await failing(new DomainError(problems['request.invalid'], 'Not "so".'))).toEqual([
      ...[400, 'invalid_request', null],
    ]);
  });
});

describe('an error', () => {
  it('is logged without parameters and credentials', async () => {
    reply = { status: 200, headers: {}, body: 'no object' as never };
    const response = await post('token', 'code=very-secret&client_secret=very-secret', {
      ...form,
      authorization: 'Basic very-secret',
    });
    expect([response.status, response.body.error]).toEqual([500, 'server_error']);
    expect(stack.logged.length).toBeGreaterThan(0);
    expect(JSON.stringify(stack.logged)).not.toContain('very-secret');
    stack.logged.length = 0;
  });

  it('of an overlong credential is a 400', async () => {
    const response = await post('token', 'code=a', { ...form, authorization: `Basic ${'x'.repeat(5_000)}` });
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
  });

  it('is not logged if a client disconnects during its form', async () => {
    const { hostname, port } = new URL(url);
    await new Promise<void>((resolve) => {
      const head = 'POST /oauth/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n';
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head}content-length: 1000\r\n\r\ncode=a`);
        setTimeout(() => socket.destroy(), 30);
      });
      socket.on('close', () => resolve());
    });
    expect((await post('token', 'code=a')).status).toBe(200);
    expect(stack.logged).toEqual([]);
  });
});

describe('OAuth metadata', () => {
  const path = '/.well-known/oauth-authorization-server';

  it('contains every endpoint below the issuer, and the supported features', async () => {
    const { status, headers, body } = await send('GET', url + path);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      introspection_endpoint: `${baseUrl}/oauth/introspect`,
      scopes_supported: ['read', 'write'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      service_documentation: `${baseUrl}/docs`,
      ui_locales_supported: ['en', 'ja'],
    });
    for (const name of Object.keys(body).filter((it) => it.endsWith('_endpoint')))
      expect((await fetch(body[name].replace(baseUrl, url), { method: 'PUT' })).status).toBe(405);
  });

  it('has no refresh grant if tokens do not expire', async () => {
    const { body } = await send('GET', `${await stack.gateway()}${path}`);
    expect(body.grant_types_supported).toEqual(['authorization_code']);
  });

  it('may be cached for an hour, and supports conditional requests', async () => {
    const { headers } = await send('GET', url + path);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const etag = headers.get('etag')!;
    expect((await send('GET', url + path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await send('HEAD', url + path)).status).toBe(200);
    expect((await send('POST', url + path)).headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('a page of another origin', () => {
  const preflightHeaders = { origin: 'https://spa.example', 'access-control-request-method': 'POST' };

  it.each([
    ['/oauth/token', 'POST'],
    ['/oauth/revoke', 'POST'],
    ['/.well-known/oauth-authorization-server', 'GET, HEAD'],
  ])('may use %s with %s, never with credentials', async (path, methods) => {
    const preflight = await send('OPTIONS', url + path, { headers: preflightHeaders });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, methods]);
    const allowed = preflight.headers.get('access-control-allow-headers');
    for (const name of ['Authorization', 'Content-Type']) expect(allowed).toContain(name);
    const [method] = methods.split(',');
    const responses = [
      preflight,
      await send(method!, url + path, { headers: preflightHeaders }),
      await send('PUT', url + path),
    ];
    for (const { headers } of responses) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it.each(['/oauth/introspect', '/oauth/authorize', '/oauth/tokens', '/oauth', '/sign-in'])(
    'may not use %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, headers } = await send(method, url + path, { headers: preflightHeaders });
        expect(status).toBeGreaterThanOrEqual(method === 'OPTIONS' ? 400 : 200);
        expect(headers.get('access-control-allow-origin')).toBeNull();
        expect(headers.get('access-control-allow-methods')).toBeNull();
      }
    },
  );
});
