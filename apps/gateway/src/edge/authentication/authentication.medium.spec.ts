import { GatewayStack, send } from '../../testing/gateway-stack.js';

let stack: GatewayStack;

beforeAll(async () => {
  stack = await GatewayStack.start({ 'users.self': () => ({ user: { id: 3 } }), 'items.list': () => ({ items: [] }) });
});
afterAll(() => stack.close());

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
