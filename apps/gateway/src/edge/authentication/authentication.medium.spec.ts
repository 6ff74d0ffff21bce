import { type OperationName, operations } from '#contracts';
import { GatewayStack, send } from '../../testing/gateway-stack.js';

let stack: GatewayStack;

const webhookOperations = (Object.keys(operations) as OperationName[]).filter((name) => name.startsWith('webhook-'));
/** Names of the handled webhook messages. */
const handled: string[] = [];
/** Requests of the handled messages of print files. */
const requests: object[] = [];

beforeAll(async () => {
  stack = await GatewayStack.start({
    'users.self': () => ({ user: { id: 3 } }),
    'items.list': () => ({ items: [] }),
    'events.list': () => ({ events: [] }),
    ...Object.fromEntries(
      ['print-files.create', 'print-files.get'].map((name) => [
        name,
        (request: object) => {
          requests.push(request);
          return {};
        },
      ]),
    ),
    ...Object.fromEntries(webhookOperations.map((name) => [name, () => void handled.push(name)])),
  });
});
beforeEach(() => {
  handled.length = 0;
});
afterAll(() => stack.close());

/** Bodies of the webhook operations that require one. */
const webhookBodies: { readonly [Name in OperationName]?: object } = {
  'webhook-deliveries.replay-failed': { since: '2026-11-20T00:00:00Z' },
  'webhook-endpoints.create': { url: 'https://example.com/hook' },
  'webhook-endpoints.update': { description: 'Orders' },
};

describe('webhook endpoints', () => {
  const sendAs = async (token: string, name: OperationName) => {
    const { method, path } = operations[name];
    const body = webhookBodies[name];
    const url = `${await origin}${path.replaceAll(/:\w+/g, '1')}`;
    return send(method, url, { token, ...(body && { body }) });
  };
  let origin: Promise<string>;
  beforeAll(() => {
    origin = stack.gateway();
  });

  it.each(webhookOperations)('%s rejects a token of an application with read and write', async (name) => {
    const { status, headers, body } = await sendAs('application', name);
    expect([status, body.code, handled]).toEqual([403, 'application.not-allowed', []]);
    expect(body.detail).toMatch(/^This operation rejects tokens of applications/);
    expect(headers.has('x-ratelimit-limit')).toBe('rateLimit' in operations[name]);
  });

  it.each(webhookOperations)('%s accepts a personal key and a token created by the operator', async (name) => {
    // The default status of a fake service
    expect([(await sendAs('writer', name)).status, handled]).toEqual([200, [name]]);
  });

  it.each(webhookOperations)('%s is unavailable while accounts does not return the application', async (name) => {
    const { status, headers, body } = await sendAs('previous-version', name);
    expect([status, body.code, headers.get('retry-after'), handled]).toEqual([503, 'service.unavailable', '10', []]);
  });

  it('are the only resource that rejects tokens of applications', async () => {
    for (const token of ['application', 'previous-version'])
      for (const path of ['user', 'events', 'items'])
        expect((await send('GET', `${await origin}/api/v1/${path}`, { token })).status).toBe(200);
  });
});

describe('the scope production', () => {
  const permitted: readonly OperationName[] = ['print-files.create', 'print-files.get'];
  const sendAs = async (token: string, name: OperationName, query = '') => {
    const { method, path } = operations[name];
    return send(method, `${await origin}${path.replaceAll(/:\w+/g, '1')}${query}`, {
      token,
      ...(method === 'POST' && { body: { ofAnyOwner: true } }),
    });
  };
  let origin: Promise<string>;
  beforeAll(() => {
    origin = stack.gateway();
  });

  it.each(permitted)('permits %s for products of any owner, which no other token can request', async (name) => {
    const asked = async (token: string) => {
      requests.length = 0;
      const { status } = await sendAs(token, name, '?ofAnyOwner=true');
      return [status, requests];
    };
    const request = { productId: 1, ...(name === 'print-files.get' && { printFilesId: 1 }) };
    expect(await asked('printer')).toEqual([200, [{ ...request, viewerId: 4, ofAnyOwner: true }]]);
    for (const token of ['writer', 'application'])
      expect(await asked(token)).toEqual([200, [{ ...request, viewerId: 1, ofAnyOwner: false }]]);
  });

  it('permits no other operation', async () => {
    const names = (Object.keys(operations) as OperationName[]).filter(
      (name) => !permitted.includes(name) && operations[name].scope !== null,
    );
    expect(names.length).toBeGreaterThan(40);
    for (const name of names) {
      const { status, body } = await sendAs('printer', name);
      expect([name, status, body.code]).toEqual([name, 401, 'token.insufficient-scope']);
    }
  });
});

const unauthorized = (detail: string) => ({ status: 401, body: { code: 'token.missing', detail } });
const useHeader = 'Send an access token in the header Authorization: Bearer <token>.';
const notInAddress = unauthorized(`A token in the URL is not accepted. ${useHeader}`);

describe('a token in the query', () => {
  it('is rejected with the reason if it is well-formed', async () => {
    const url = await stack.gateway();
    for (const path of ['user', 'items'])
      expect(await send('GET', `${url}/api/v1/${path}?access_token=reader`)).toMatchObject(notInAddress);
    for (const query of ['', 'access_token=', 'access_token=%3Cb%3E', 'access_token=reader&access_token=reader'])
      expect(await send('GET', `${url}/api/v1/user?${query}`)).toMatchObject(unauthorized(useHeader));
  });

  it('is accepted with ACCESS_TOKEN_IN_QUERY for GET /user only, and neither stored nor logged', async () => {
    const url = await stack.gateway({ ACCESS_TOKEN_IN_QUERY: 'user', LOG_LEVEL: 'trace' });
    const { status, headers, body } = await send('GET', `${url}/api/v1/user?access_token=reader`);
    expect([status, headers.get('cache-control'), body]).toEqual([200, 'no-store', { user: { id: 3 } }]);
    expect(await send('GET', `${url}/api/v1/user?access_token=unknown`)).toMatchObject({
      status: 401,
      body: { code: 'token.invalid' },
    });
    expect(await send('PUT', `${url}/api/v1/user?access_token=writer`, { body: {} })).toMatchObject(notInAddress);
    expect(await send('GET', `${url}/api/v1/items?access_token=reader`)).toMatchObject(notInAddress);
    expect(stack.logged.length).toBeGreaterThan(3);
    expect(JSON.stringify(stack.logged)).not.toMatch(/access_token|reader|writer/);
  });

  it('is ignored beside a token in the header', async () => {
    const url = await stack.gateway({ ACCESS_TOKEN_IN_QUERY: 'user' });
    const both = await send('GET', `${url}/api/v1/user?access_token=unknown`, { token: 'reader' });
    expect([both.status, both.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  });
});
