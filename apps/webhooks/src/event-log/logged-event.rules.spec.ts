import { publicEvents } from '#contracts';
import { type LoggedName, toNewEvent } from './logged-event.rules.js';

type Internal = Parameters<typeof toNewEvent>[0];
const internal = <Name extends LoggedName>(name: Name, payload: object) => ({ name, payload }) as Internal;

const all: readonly Internal[] = [
  internal('material.created', { materialId: 5, userId: 1, title: 'Lighthouse', revision: 1 }),
  internal('material.updated', {
    materialId: 5,
    userId: 1,
    stale: [],
    unpublished: [],
    changed: ['title'],
    revision: 2,
  }),
  internal('material.deleted', { materialId: 5, userId: 1, productIds: [7], filePath: 'x', textures: [], revision: 3 }),
  internal('material.rendered', { materialId: 5, userId: 1, title: 'Lighthouse', images: 12 }),
  internal('product.published', { productId: 7, materialId: 5, itemId: 2, userId: 1, revision: 1 }),
  internal('product.unpublished', { productId: 7, materialId: 5, itemId: 2, userId: 1, revision: 2 }),
  internal('favorite.placed', {
    favoriteId: 9,
    productId: 7,
    productTitle: 'Lighthouse T-shirt',
    ownerId: 1,
    userId: 2,
    anonymous: false,
    count: 3,
    revision: 1,
  }),
  internal('favorite.withdrawn', { favoriteId: 9, productId: 7, ownerId: 1, userId: 2, anonymous: false, revision: 2 }),
  internal('choice.updated', { choiceId: 4, userId: 1, changed: ['title'], revision: 1 }),
  internal('sale.recorded', { productId: 7, productTitle: 'Lighthouse T-shirt', ownerId: 1, buyerId: 2 }),
  internal('activity.created', { activityId: '3351', receiverId: 1 }),
  internal('application.revoked', { applicationId: 3, ownerId: 1, userId: 2 }),
];

it.each(all)('$name becomes an event of the public contract without other fields', (event) => {
  const { type, copies } = toNewEvent(event);
  expect(type).toBe(event.name);
  for (const { data } of copies) expect(publicEvents[type].data.strict().parse(data)).toEqual(data);
});

it.each(all)('$name does not reveal texts or buyers', (event) => {
  expect(JSON.stringify(toNewEvent(event).copies)).not.toMatch(/Lighthouse|buyer|title":/);
});

describe('a favorite', () => {
  const copiesOf = (fields: object) =>
    toNewEvent(
      internal('favorite.placed', { favoriteId: 9, productId: 7, ownerId: 1, userId: 2, anonymous: false, ...fields }),
    ).copies.map(({ userId, data }) => [userId, (data as { userId: number | null }).userId]);

  it('is seen by its user and by the owner of the product', () => {
    expect(copiesOf({})).toEqual([
      [2, 2],
      [1, 2],
    ]);
  });

  it('has no user for the owner if it is anonymous', () => {
    expect(copiesOf({ anonymous: true })).toEqual([
      [2, 2],
      [1, null],
    ]);
  });

  it('is seen once by an owner who placed it', () => {
    expect(copiesOf({ userId: 1 })).toEqual([[1, 1]]);
  });
});

it('deletions end their resource, that of a material also its products', () => {
  const ended = all.flatMap((event) => toNewEvent(event).ended);
  expect(ended).toEqual(['material:5', 'product:7', 'favorite:9']);
  const deletion = internal('choice.updated', { choiceId: 4, userId: 1, changed: ['deleted'] });
  expect(toNewEvent(deletion).ended).toEqual(['choice:4']);
});
