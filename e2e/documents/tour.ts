import createClient from 'openapi-fetch';
import type { components, paths } from '../../docs/clients/openapi.js';

export type Product = components['schemas']['Product'];

type Problem = components['schemas']['Problem'];

const clientOf = (baseUrl: string, token: string) =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

/** Returns the data of a response. @throws Error with the code of a problem */
function dataOf<Data>({ data, error }: { data?: Data; error?: Problem }): Data {
  if (error) throw new Error(`${error.code}: ${error.detail}`);
  return data!;
}

interface Start {
  readonly baseUrl: string;
  readonly creatorKey: string;
  readonly fanKey: string;
  /** URL or data URI of an image. */
  readonly texture: string;
}

/** Performs the main operations with the generated client. Returns the results of each. */
export async function tour({ baseUrl, creatorKey, fanKey, texture }: Start) {
  const creator = clientOf(baseUrl, creatorKey);
  const fan = clientOf(baseUrl, fanKey);

  const { items } = dataOf(await creator.GET('/api/v1/items'));
  const shirt = items.find(({ name }) => name === 't-shirt')!;

  const upload = {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { title: 'Tour', texture, price: 300, products: [{ itemId: shirt.id, published: true }] },
  };
  const made = dataOf(await creator.POST('/api/v1/materials', upload));
  const again = dataOf(await creator.POST('/api/v1/materials', upload));
  const [product] = made.products as [Product];

  const productId = product.id;
  const detail = dataOf(await fan.GET('/api/v1/products/{productId}', { params: { path: { productId } } }));
  const found = dataOf(
    await fan.GET('/api/v1/products', { params: { query: { materialId: made.material.id, limit: 50 } } }),
  );

  const favorite = dataOf(
    await fan.POST('/api/v1/products/{productId}/favorites', { params: { path: { productId } }, body: { count: 2 } }),
  );

  const { choice } = dataOf(await fan.POST('/api/v1/choices', { body: { title: 'Seen on tour' } }));
  const inChoice = { path: { choiceId: choice.id } };
  const filled = dataOf(await fan.POST('/api/v1/choices/{choiceId}', { params: inChoice, body: { productId } }));
  const chosen = dataOf(await fan.GET('/api/v1/choices/{choiceId}/products', { params: inChoice }));
  const removal = await fan.DELETE('/api/v1/choices/{choiceId}', { params: inChoice });

  const { user } = dataOf(
    await creator.PUT('/api/v1/user', { body: { displayName: 'Guide', profile: { body: null } } }),
  );
  const rejection = await fan.DELETE('/api/v1/materials/{materialId}', {
    params: { path: { materialId: made.material.id } },
  });

  return {
    shirt,
    made,
    again,
    product,
    detail: detail.product,
    found: found.products,
    favorite,
    filled: filled.choice,
    chosen: chosen.products,
    removed: removal.response.status,
    user,
    rejection: rejection.error?.code,
  };
}

/** Returns the newest activities of a user in a language. */
export async function activitiesOf(baseUrl: string, key: string, language: 'en' | 'ja') {
  const response = await clientOf(baseUrl, key).GET('/api/v1/activities', {
    params: { query: { limit: 10 }, header: { 'Accept-Language': language } },
  });
  return dataOf(response).activities;
}
