import { createSale, violate } from '../support/back-office.js';
import type { EndpointFixture } from './endpoint-table.js';
import { newEndpoint, newFailedDelivery } from '../support/webhooks.js';
import { api, itemsByName, newMaterial, newUsers, operator, smallArtwork, type User } from '../support/shop.js';

const send = async (method: string, path: string, { apiKey: token }: User, body: unknown): Promise<any> => {
  const response = await api(method, path, { token, body });
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
};

const newChoice = async (user: User, fields: object): Promise<number> =>
  (await send('POST', '/choices', user, { title: 'Choice', ...fields })).choice.id;

/** Creates the users and resources of the endpoint tests. */
export async function createEndpointFixture(): Promise<EndpointFixture> {
  const [me, other, eager] = (await newUsers(3)) as [User, User, User];
  const [items, texture, readOnly] = await Promise.all([
    itemsByName(me.apiKey),
    smallArtwork,
    operator('token', 'create', '--user', me.name, '--scope', 'read'),
  ]);
  const [shirt, badge] = [items['t-shirt'].id, items['can-badge'].id];
  const both = [
    { itemId: shirt, published: true },
    { itemId: badge, published: false },
  ];
  const published = [{ itemId: badge, published: true }];
  const [mine, theirs, hidden, wrong] = await Promise.all([
    newMaterial(me, { products: both }),
    newMaterial(other, { title: 'Seen', products: both }),
    newMaterial(other, { title: 'Unseen', products: [{ itemId: badge }] }),
    newMaterial(other, { title: 'Wrong', products: published }),
  ]);
  const idOf = ({ products }: any, itemId: number): number => products.find((it: any) => it.item.id === itemId).id;
  const [theirProduct, unseen, bad] = [idOf(theirs, shirt), idOf(hidden, badge), idOf(wrong, badge)];
  const choiceProducts = [theirProduct, unseen, bad].map((productId) => ({ productId }));
  const [choice, theirChoice, theirSecretChoice] = await Promise.all([
    newChoice(me, { choiceProducts: [{ productId: idOf(mine, shirt) }] }),
    newChoice(other, { choiceProducts }),
    newChoice(other, { secret: true }),
    ...[theirProduct, unseen, bad].map((id) => send('POST', `/products/${id}/favorites`, other, {})),
  ]);
  const [endpoint, theirEndpoint] = await Promise.all([newEndpoint(me), newEndpoint(other)]);
  const theirDelivery = await newFailedDelivery(theirEndpoint, other);
  await Promise.all([createSale({ user: other.name, percent: 10 }), violate(wrong.material.id)]);
  return {
    me,
    other,
    eager,
    items,
    texture,
    readOnlyToken: readOnly.token,
    mine: { material: mine.material.id, product: idOf(mine, shirt), choice: choice },
    theirs: {
      material: theirs.material.id,
      product: theirProduct,
      choice: theirChoice,
      secretChoice: theirSecretChoice,
      unpublished: { material: hidden.material.id, product: unseen },
      violating: { material: wrong.material.id, product: bad },
    },
    newChoice: () => newChoice(me, {}),
    newMaterial: async () => (await newMaterial(me)).material.id,
    newFavorite: async () => {
      await send('POST', `/products/${theirProduct}/favorites`, me, {});
      return theirProduct;
    },
    endpoint,
    theirDelivery,
    newEndpoint: () => newEndpoint(me),
    newPrintFiles: async () => (await send('POST', `/products/${idOf(mine, shirt)}/print-files`, me, {})).printFiles.id,
    newDelivery: () => newFailedDelivery(endpoint, me),
  };
}
