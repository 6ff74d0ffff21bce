import { type Operation, operations } from '#contracts';
import { artwork } from '../support/artwork.js';
import { methodsOfClient } from './hyper-client.js';
import { activitiesOf, tour } from './tour.js';
import { ResponseValidator } from './response-validator.js';
import { api, baseUrl, call, eventually, newMaterial, newUser, type User } from '../support/shop.js';
import { newEndpoint } from '../support/webhooks.js';

let creator: User;
let fan: User;
let documents: ResponseValidator;

beforeAll(async () => {
  [creator, fan] = await Promise.all([newUser(), newUser()]);
  const [openApi, hyperSchema] = await Promise.all([
    api('GET', '/openapi.json'),
    api('GET', '/schema', { token: fan.apiKey }),
  ]);
  expect([openApi.status, hyperSchema.status]).toEqual([200, 200]);
  documents = new ResponseValidator(openApi.body, hyperSchema.body);
});

describe('the published documents', () => {
  it('describe responses of reads', async () => {
    const paths = [
      ...['/activities', '/activities/unreads', '/banners', '/categories', '/choices', '/items', '/materials'],
      ...['/products', '/products/search?q=a', '/products/on_sale', '/promotions', '/users', '/user'],
      ...[`/users/${creator.id}`, `/users/${creator.id}/favorites`],
    ];
    for (const path of paths) {
      const response = await api('GET', path, { token: fan.apiKey });
      expect([path, response.status]).toEqual([path, 200]);
      documents.expectDescribed('GET', `/api/v1${path}`, response);
    }
  });

  it('describe rejections', async () => {
    const rejected = [
      ['GET', '/api/v1/products?limit=51', 400, { token: fan.apiKey }],
      ['GET', '/api/v1/items', 401, {}],
      ['GET', '/api/v1/products/999999999', 404, { token: fan.apiKey }],
      ['POST', '/api/v1/choices', 400, { token: fan.apiKey, body: '{' }],
      ['POST', '/api/v1/materials', 400, { token: fan.apiKey, body: {} }],
    ] as const;
    for (const [method, path, status, options] of rejected) {
      const response = await call(method, path, options);
      expect([path, response.status]).toEqual([path, status]);
      documents.expectDescribed(method, path, response);
    }
  });
});

describe('a client generated from the hyper-schema with the rules of heroics', () => {
  it('reads all resources', async () => {
    const { body: schema } = await api('GET', '/schema', { token: fan.apiKey });
    const { material, products } = await newMaterial(fan, { products: [{ itemId: 1, published: true }] });
    const requested = await api('POST', `/products/${products[0].id}/print-files`, { token: fan.apiKey, body: {} });
    const { body } = await api('POST', '/choices', { token: creator.apiKey, body: { title: 'A choice' } });
    const ids: Record<string, number> = {
      'choice.id': body.choice.id,
      'material.id': material.id,
      'product.id': products[0].id,
      'print_files.id': requested.body.printFiles.id,
      'user.id': creator.id,
      'webhook_endpoint.id': await newEndpoint(fan),
    };
    const reading = methodsOfClient(schema).filter(({ method }) => method === 'GET');
    expect(reading).toHaveLength(Object.values<Operation>(operations).filter(({ method }) => method === 'GET').length);
    for (const { resource, name, parameters, address } of reading) {
      const path = address(parameters.map((it) => ids[it]!)).replace(new URL(baseUrl).origin, '');
      const response = await call('GET', path, { token: fan.apiKey });
      expect([`${resource}.${name}`, path, response.status]).toEqual([`${resource}.${name}`, path, 200]);
      documents.expectDescribed('GET', path, response);
    }
  });
});

describe('a client generated from the OpenAPI document', () => {
  it('performs all main operations', async () => {
    const seen = await tour({ baseUrl, creatorKey: creator.apiKey, fanKey: fan.apiKey, texture: await artwork() });
    expect(seen.again).toEqual(seen.made);
    expect(seen.detail).toMatchObject({ id: seen.product.id, itemVariants: seen.shirt.variants });
    expect(seen.found.map(({ id }) => id)).toEqual([seen.product.id]);
    expect(seen.favorite).toMatchObject({ favorite: { count: 2 }, meta: { totalCount: 2 } });
    expect(seen.filled.productsCount).toBe(1);
    expect(seen.chosen.map(({ id }) => id)).toEqual([seen.product.id]);
    expect(seen.removed).toBe(204);
    expect(seen.user).toMatchObject({ id: creator.id, displayName: 'Guide', email: `${creator.name}@example.com` });
    expect(seen.rejection).toBe('material.not-owned');
    const [newest] = await eventually(
      () => activitiesOf(baseUrl, creator.apiKey, 'ja'),
      (activities) => activities.some(({ eventType }) => eventType === 'favorite'),
    );
    expect(newest).toMatchObject({ receiver: { id: creator.id } });
  });
});
