import { randomUUID } from 'node:crypto';
import { acceptsIdempotencyKey, type OperationName, operations } from '#contracts';
import { closedUrl } from '../support/webhook-urls.js';
import { newEndpoint, newFailedDelivery } from '../support/webhooks.js';
import { api, baseUrl, inWaves, itemsByName, newMaterial, newUsers, smallArtwork, type User } from '../support/shop.js';

describe('an Idempotency-Key', () => {
  let user: User;
  let other: User;
  let items: Record<string, any>;
  let product: any;
  let own: { readonly id: number };
  let choiceId: number;
  let endpointId: number;
  let deliveryIds: number[];

  beforeAll(async () => {
    [user, other] = (await newUsers(2)) as [User, User];
    items = await itemsByName(user.apiKey);
    [product] = (await newMaterial(other, { products: [{ itemId: items['can-badge'].id, published: true }] })).products;
    [own] = (await newMaterial(user, { products: [{ itemId: items['can-badge'].id }] })).products;
    choiceId = (await api('POST', '/choices', { token: user.apiKey, body: { title: 'x' } })).body.choice.id;
    endpointId = await newEndpoint(user);
    const failed = [await newFailedDelivery(endpointId, user), await newFailedDelivery(endpointId, user)];
    deliveryIds = failed.map(({ deliveryId }) => deliveryId);
  });

  interface UnparsedResponse {
    readonly status: number;
    readonly replayed: string | null;
    readonly text: string;
    readonly headers: Headers;
  }
  /** Sends a POST. Returns the response without parsing its body. */
  async function post(path: string, body: unknown, key: string, { apiKey } = user): Promise<UnparsedResponse> {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { status, headers } = response;
    return { status, headers, replayed: headers.get('idempotency-replayed'), text: await response.text() };
  }

  type PostName = {
    [Name in OperationName]: (typeof operations)[Name] extends { readonly method: 'POST'; readonly readOnly?: never }
      ? Name
      : never;
  }[OperationName];
  /**
   * Requests of every POST of the API that writes: path, a valid body and, for some, a body that a
   * domain rule rejects.
   */
  const posts: { readonly [Name in PostName]: () => [path: string, good: object, rejected?: object] } = {
    'choices.create': () => [
      '/choices',
      { title: 'Once' },
      { title: 'x', choiceProducts: [{ productId: 999_999_999 }] },
    ],
    'choices.add': () => [`/choices/${choiceId}`, { productId: product.id }, { productId: 999_999_999 }],
    'choices.remove': () => [`/choices/${choiceId}/remove`, { productId: product.id }],
    'favorites.create': () => [`/products/${product.id}/favorites`, { count: 3 }],
    'materials.create': () => [
      '/materials',
      { texture, title: 'Once' },
      { texture, title: 'x', products: [{ itemId: 999_999_999 }] },
    ],
    'webhook-endpoints.create': () => ['/webhook_endpoints', { url: closedUrl }],
    'webhook-endpoints.rotate-secret': () => [`/webhook_endpoints/${endpointId}/secret`, {}],
    'webhook-endpoints.test': () => [`/webhook_endpoints/${endpointId}/test`, {}],
    'webhook-deliveries.replay': () => [`/webhook_endpoints/${endpointId}/deliveries/${deliveryIds.pop()}/replay`, {}],
    'webhook-deliveries.replay-failed': () => [
      `/webhook_endpoints/${endpointId}/deliveries/replay`,
      { since: '2026-11-20T00:00:00Z' },
    ],
    'print-files.create': () => [`/products/${own.id}/print-files`, { format: 'png' }, { places: ['sleeve'] }],
    'materials.text': () => ['/materials/text', { text: 'Once' }, { text: ' ' }],
  };
  const names = Object.keys(posts) as PostName[];
  let texture: string;
  beforeAll(async () => {
    texture = await smallArtwork;
  });

  it('is tested for every POST of the API that writes', () => {
    const all = Object.entries(operations).filter(([, operation]) => acceptsIdempotencyKey(operation));
    expect(names.sort()).toEqual(all.map(([name]) => name).sort());
  });

  it.each(names)('of %s: a repetition returns the same bytes and has no second effect', async (name) => {
    const [path, good] = posts[name]();
    const key = `a key with "printable" ~ characters ${randomUUID()}`;
    const first = await post(path, good, key);
    expect([first.status, first.replayed]).toEqual([operations[name].status, null]);
    for (let again = 0; again < 3; again++) {
      const { status, replayed, text, headers } = await post(path, good, key);
      expect({ status, replayed, text }).toEqual({ status: first.status, replayed: 'true', text: first.text });
      expect(headers.get('content-type')).toBe(first.headers.get('content-type'));
    }
    const plain = await api('POST', path, { token: user.apiKey, body: good });
    // Without the key it is a second replay, which is rejected because the delivery is pending
    const status = name === 'webhook-deliveries.replay' ? 409 : first.status;
    expect([plain.status, plain.headers.get('idempotency-replayed')]).toEqual([status, null]);
  });

  it.each(names.filter((name) => 'body' in operations[name]))(
    'of %s: another body with the same key is a conflict without effect',
    async (name) => {
      const [path, good] = posts[name]();
      const key = randomUUID();
      expect((await post(path, good, key)).status).toBe(operations[name].status);
      for (const body of [{ ...good, more: 1 }, `${JSON.stringify(good)} `]) {
        const { status, text } = await post(path, body, key);
        expect([body, status, JSON.parse(text).code]).toEqual([body, 409, 'idempotency-key.reused']);
      }
      expect((await post(path, good, key)).replayed).toBe('true');
    },
  );

  it.each(names.filter((name) => posts[name].toString().includes('999_999_999') || /materials/.test(name)))(
    'of %s: a repetition of a rejection by a domain rule is rejected in the same way',
    async (name) => {
      const [path, , rejected] = posts[name]();
      const key = randomUUID();
      const first = await post(path, rejected, key);
      expect(first.status).toBeGreaterThanOrEqual(400);
      const again = await post(path, rejected, key);
      expect([again.status, again.replayed]).toEqual([first.status, 'true']);
      const strip = ({ text }: UnparsedResponse) => ({ ...JSON.parse(text), requestId: '' });
      expect(strip(again)).toEqual(strip(first));
    },
  );

  it('is rejected with another path', async () => {
    const key = randomUUID();
    const body = { title: 'x' };
    const second = (await api('POST', '/choices', { token: user.apiKey, body })).body.choice.id;
    expect((await post(`/choices/${choiceId}`, {}, key)).status).toBe(200);
    const { status, text } = await post(`/choices/${second}`, {}, key);
    expect([status, JSON.parse(text).code]).toEqual([409, 'idempotency-key.reused']);
  });

  it('is scoped to a user', async () => {
    const key = randomUUID();
    const mine = await post('/choices', { title: 'Mine' }, key);
    const theirs = await post('/choices', { title: 'Theirs' }, key, other);
    expect([mine.status, theirs.status, theirs.replayed]).toEqual([200, 200, null]);
    expect(JSON.parse(theirs.text).choice).toMatchObject({ title: 'Theirs', user: { id: other.id } });
  });

  it('is not consumed by an invalid request', async () => {
    const key = randomUUID();
    expect((await post('/choices', { title: '' }, key)).status).toBe(400);
    expect(await post('/choices', { title: 'Right' }, key)).toMatchObject({ status: 200, replayed: null });
  });

  it('is ignored for PUT', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    for (const displayName of ['One', 'Two']) {
      const response = await api('PUT', '/user', { token: user.apiKey, body: { displayName }, headers });
      expect([response.status, response.body.user.displayName]).toEqual([200, displayName]);
    }
  });

  it('creates one material for 50 concurrent requests', async () => {
    const body = { texture, title: 'Fifty', products: [{ itemId: items['can-badge'].id, published: true }] };
    const key = randomUUID();
    const responses = await Promise.all(Array.from({ length: 50 }, () => post('/materials', body, key, other)));
    const good = responses.filter(({ status }) => status === 200);
    const busy = responses.filter(({ status }) => status === 409);
    expect(good.length + busy.length).toBe(50);
    expect(good.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    expect(new Set(good.map(({ text }) => text)).size).toBe(1);
    for (const { text, headers } of busy) {
      expect(JSON.parse(text).code).toBe('idempotency-key.in-progress');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const last = await post('/materials', body, key, other);
    expect(last).toMatchObject({ status: 200, replayed: 'true', text: good[0]!.text });
    const made = (await api('GET', '/materials?limit=50', { token: other.apiKey })).body.materials;
    expect(made.filter((it: any) => it.title === 'Fifty')).toHaveLength(1);
  });

  it('is not needed for exact counts: 200 favorites, 40 of them concurrent, count 200', async () => {
    const [fan, second] = (await newUsers(2)) as [User, User];
    const made = await newMaterial(other, { products: [{ itemId: items['sticker'].id, published: true }] });
    const path = `/products/${made.products[0].id}/favorites`;
    await api('POST', path, { token: second.apiKey, body: { count: 7 } });
    const responses = await inWaves(200, () => api('POST', path, { token: fan.apiKey, body: {} }), 40);
    expect(responses.filter(({ status }) => status !== 201)).toEqual([]);
    const sorted = (of: (body: any) => number) => responses.map(({ body }) => of(body)).sort((a, b) => a - b);
    expect(sorted(({ favorite }) => favorite.count)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    expect(sorted(({ meta }) => meta.totalCount)).toEqual(Array.from({ length: 200 }, (_, at) => at + 8));
    const places = responses.map(({ body: { favorite } }) => [favorite.id, favorite.x, favorite.y, favorite.rotation]);
    expect(new Set(places.map(String)).size).toBe(1);
    const { body } = await api('GET', path, { token: fan.apiKey });
    expect(body.favorites.map((it: any) => [it.user.id, it.count])).toEqual([
      [fan.id, 200],
      [second.id, 7],
    ]);
  });
});
