import { problems, type WebhookDelivery, type WebhookEndpoint } from '#contracts';
import { DomainError } from '#kernel';
import { type Browser, browse } from '../../testing/browse.js';
import { GatewayStack } from '../../testing/gateway-stack.js';

let stack: GatewayStack;
let browser: Browser;
const calls: { name: string; payload: Record<string, unknown> }[] = [];
const payloadsOf = (name: string) => calls.filter((it) => it.name === name).map(({ payload }) => payload);

const session = 's'.repeat(43);
const hanako = { id: 1, name: 'Hanako', displayName: '花子', email: 'h@example.com', hasPassword: true };
const enabled: WebhookEndpoint = {
  id: 3,
  url: 'https://hooks.example.com/<b>',
  description: 'Orders <b>',
  types: ['sale.recorded'],
  applicationId: null,
  status: 'enabled',
  disabledReason: null,
  failingSince: null,
  publicKey: null,
  oldSecretExpiresAt: null,
  lastDelivery: 'failed',
  createdAt: '2026-11-20T09:00:00.000Z',
};
const failed: WebhookDelivery = {
  id: 8,
  eventId: '0191e7c1-9c1c-4f0e-8a57-2f9a1d6f4d11',
  type: 'sale.recorded',
  status: 'failed',
  createdAt: '2026-11-20T09:00:00.000Z',
  nextAttemptAt: null,
  attempts: [
    {
      number: 1,
      startedAt: '2026-11-20T09:00:00.000Z',
      durationMs: 1_250,
      statusCode: 503,
      error: 'status',
      nextAttemptAt: null,
    },
  ],
};
const application = {
  id: 7,
  clientId: 'c',
  name: 'Stamps',
  description: '',
  homePage: null,
  redirectUris: ['https://a.example.com/cb'],
  scopes: ['read'],
  namesIssuer: false,
  confidential: true,
  users: 0,
  createdAt: '2026-11-20T08:15:00.000Z',
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const commands = [
  'webhook-endpoints.create',
  'webhook-endpoints.update',
  'webhook-endpoints.delete',
  'webhook-endpoints.rotate-secret',
  'webhook-endpoints.test',
  'webhook-deliveries.replay',
  'webhook-deliveries.replay-failed',
];

let endpoint: WebhookEndpoint;
let failure: DomainError | undefined;
const reply = (name: string, body: () => unknown) => (payload: Record<string, unknown>) => {
  calls.push({ name, payload });
  if (failure) throw failure;
  return body();
};

beforeAll(async () => {
  const changes = commands.map(
    (name) =>
      [name, reply(name, () => ({ webhookEndpoint: endpoint, secret, webhookDelivery: failed, replayed: 1 }))] as const,
  );
  stack = await GatewayStack.start({
    'webhook-endpoints.list': reply('webhook-endpoints.list', () => ({
      webhookEndpoints: [endpoint, { ...endpoint, id: 4, url: 'https://app.example.com/', applicationId: 7 }],
    })),
    'webhook-endpoints.get': () => ({ webhookEndpoint: endpoint }),
    'webhook-deliveries.list': reply('webhook-deliveries.list', () => ({
      webhookDeliveries: [failed],
      meta: { hasNext: true },
    })),
    ...Object.fromEntries(changes),
    'applications.get': () => application,
    'sessions.show': (it: { session: string }) =>
      it.session === session ? { active: true, user: hanako } : { active: false },
  });
  browser = browse(await stack.gateway());
});
afterAll(() => stack.close());
beforeEach(() => {
  calls.length = 0;
  [endpoint, failure] = [enabled, undefined];
  browser.clearCookies();
  browser.setSession(session);
});

const submit = async (path: string, form: Record<string, string> = {}) => {
  const { csrf } = await browser.open('/account/webhooks/new');
  calls.length = 0;
  return browser.send(path, { csrf, ...form });
};

describe('the list', () => {
  it('shows the endpoints of the user with their status, and not those of applications', async () => {
    const { html } = await browser.open('/account/webhooks?done=deleted');
    expect(html).toContain('href="/account/webhooks/3"');
    expect(html).toMatch(/Status<\/dt><dd>Enabled[\s\S]*Last delivery<\/dt><dd>Failed/);
    expect(html).toContain('Orders &lt;b&gt;');
    expect(html).toContain('The endpoint has been deleted.');
    expect(html).not.toContain('/account/webhooks/4');
  });

  it('of an application shows its endpoints only', async () => {
    const { html } = await browser.open('/applications/7/webhooks');
    expect(html).toContain('Webhooks of Stamps');
    expect(html).toContain('href="/account/webhooks/4"');
    expect(html).not.toContain('/account/webhooks/3');
  });
});

describe('the form for a new endpoint', () => {
  const form = { url: ' https://example.com/hook ', description: 'Orders', 'type-sale.recorded': 'yes', v1a: 'yes' };

  it('creates it with the selected types, and shows the secret once', async () => {
    const { status, html, headers } = await submit('/account/webhooks/new', form);
    expect(payloadsOf('webhook-endpoints.create')).toEqual([
      {
        viewerId: 1,
        applicationId: null,
        url: 'https://example.com/hook',
        description: 'Orders',
        types: ['sale.recorded'],
        signature: 'v1a',
        idempotency: {
          key: expect.stringMatching(/^form [\w.-]+ [0-9a-f]{16}$/),
          fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ]);
    expect(html).toContain(`value="${secret}"`);
    expect(headers.get('cache-control')).toContain('no-store');
    expect(status).toBeLessThan(300);
  });

  it('has the same idempotency key when it is submitted twice, and another one on another page', async () => {
    const { csrf } = await browser.open('/account/webhooks/new');
    for (let n = 0; n < 2; n++) await browser.send('/account/webhooks/new', { csrf, ...form });
    await browser.send('/applications/7/webhooks/new', { csrf, ...form });
    const [first, second, third] = payloadsOf('webhook-endpoints.create').map(({ idempotency }) => idempotency);
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
  });

  it('creates it for an application', async () => {
    await submit('/applications/7/webhooks/new', { url: 'https://example.com/', description: '' });
    expect(payloadsOf('webhook-endpoints.create')).toEqual([
      expect.objectContaining({ applicationId: 7, types: [], signature: 'v1' }),
    ]);
  });

  it('is shown again with its values after an error', async () => {
    const invalid = await submit('/account/webhooks/new', { ...form, url: 'x' });
    expect(invalid.status).toBe(422);
    expect(invalid.html).toContain('Enter a URL that starts with https://');
    expect(invalid.html).toMatch(/name="type-sale.recorded" value="yes" checked/);
    expect(payloadsOf('webhook-endpoints.create')).toEqual([]);
    failure = new DomainError(problems['webhook-endpoint.url-not-allowed'], 'x', [{ path: 'body.url', message: 'x' }]);
    const rejected = await submit('/account/webhooks/new', form);
    expect([rejected.status, /<a href="#url">This URL cannot be used/.test(rejected.html)]).toEqual([422, true]);
  });
});

describe('the page of an endpoint', () => {
  it('shows deliveries with status, duration and error in words, and buttons to replay', async () => {
    const { html } = await browser.open('/account/webhooks/3');
    expect(html).toMatch(/Attempt 1: the status was not successful \(status 503\)/);
    expect(html).toContain('1,250 ms');
    expect(html).toContain('action="/account/webhooks/3/deliveries/8/replay"');
    expect(html).toContain('action="/account/webhooks/3/pause"');
    expect(html).toContain('href="/account/webhooks/3?offset=24"');
    expect(html).not.toContain('whsec_');
  });

  it('lists failed deliveries only', async () => {
    await browser.open('/account/webhooks/3?status=failed&offset=24');
    expect(payloadsOf('webhook-deliveries.list')).toEqual([
      { viewerId: 1, endpointId: 3, limit: 24, offset: 24, status: 'failed' },
    ]);
  });

  it('of a disabled endpoint shows why, and no test and replay', async () => {
    endpoint = { ...enabled, status: 'disabled', disabledReason: 'failures' };
    const { html } = await browser.open('/account/webhooks/3');
    expect(html).toContain('Every delivery of the last five days has failed.');
    expect(html).toContain('action="/account/webhooks/3/resume"');
    expect(html).not.toMatch(/action="[^"]*\/(?:test|pause|replay)"/);
  });

  it.each(['0', 'x', '1.5'])('does not exist at %s', async (id) => {
    expect((await browser.open(`/account/webhooks/${id}`)).status).toBe(404);
  });

  it('is in Japanese', async () => {
    const { html } = await browser.open('/account/webhooks/3', { 'accept-language': 'ja' });
    expect(html).toContain('1回目：成功以外のステータスでした（ステータス503）');
  });
});

describe('the buttons', () => {
  it.each([
    ['pause', 'webhook-endpoints.update', { status: 'paused' }, 'paused'],
    ['resume', 'webhook-endpoints.update', { status: 'enabled' }, 'resumed'],
    ['test', 'webhook-endpoints.test', {}, 'tested'],
    ['deliveries/8/replay', 'webhook-deliveries.replay', { deliveryId: 8 }, 'replayed'],
  ])('%s', async (path, name, payload, done) => {
    const { status, headers } = await submit(`/account/webhooks/3/${path}`);
    expect([status, headers.get('location')]).toEqual([303, `/account/webhooks/3?done=${done}`]);
    expect(payloadsOf(name)).toEqual([{ viewerId: 1, endpointId: 3, ...payload }]);
  });

  it('replay failed deliveries of a period', async () => {
    await submit('/account/webhooks/3/replay', { period: 'day' });
    const [{ since }] = payloadsOf('webhook-deliveries.replay-failed') as [{ since: string }];
    expect(Date.now() - Date.parse(since)).toBeGreaterThanOrEqual(86_400_000);
    expect(Date.now() - Date.parse(since)).toBeLessThan(86_460_000);
  });

  it('replace the secret with the same idempotency key when the form is submitted twice', async () => {
    const { csrf } = await browser.open('/account/webhooks/3/secret');
    for (const id of [3, 3, 4]) await browser.send(`/account/webhooks/${id}/secret`, { csrf });
    const sent = payloadsOf('webhook-endpoints.rotate-secret');
    const [first, second, third] = sent.map(({ idempotency }) => idempotency);
    expect(first).toEqual({
      key: expect.stringMatching(/^form [\w.-]+ [0-9a-f]{16}$/),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
  });

  it('edit, replace the secret, and delete', async () => {
    await submit('/account/webhooks/3/edit', { url: 'https://example.com/2', description: '' });
    expect(payloadsOf('webhook-endpoints.update')).toEqual([
      { viewerId: 1, endpointId: 3, url: 'https://example.com/2', description: '', types: [] },
    ]);
    const { html } = await submit('/account/webhooks/3/secret');
    expect(html).toContain(`value="${secret}"`);
    expect((await browser.open('/account/webhooks/3/delete')).html).toContain('receives no more events');
    await submit('/account/webhooks/3/delete');
    expect(payloadsOf('webhook-endpoints.delete')).toEqual([{ viewerId: 1, endpointId: 3 }]);
    failure = new DomainError(problems['webhook-endpoint.not-found'], 'Deleted.');
    const { status, headers } = await submit('/account/webhooks/3/delete');
    expect([status, headers.get('location')]).toEqual([303, '/account/webhooks?done=deleted']);
  });
});
