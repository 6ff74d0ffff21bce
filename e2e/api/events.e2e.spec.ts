import { EventListResponse, publicEvents, type PublicEventType, publicEventTypes } from '#contracts';
import { newGrantedApplication, serve, type Server, signedIn } from '../oauth/oauth-clients.js';
import { recordSale } from '../support/back-office.js';
import { api, eventually, itemsByName, newMaterial, newUsers, operator, type User } from '../support/shop.js';

type Log = ReturnType<typeof EventListResponse.parse>;
type LoggedEvent = Log['events'][number];

let creator: User;
let fan: User;
let stranger: User;
let badge: number;
/** Receives the webhooks of the creator and of the creator's application. */
let receiver: Server;
/** Event ids of the webhooks that the application has received. */
const received: string[] = [];

const read = async (token: string, query = '?limit=200'): Promise<Log> => {
  const response = await api('GET', `/events${query}`, { token });
  expect([response.status, response.body.errors]).toEqual([200, undefined]);
  return EventListResponse.parse(response.body);
};
const logOf = async ({ apiKey }: User): Promise<LoggedEvent[]> => {
  const { events, meta } = await read(apiKey);
  expect(meta.hasNext).toBe(false);
  return events;
};
const untilLogged = (user: User, isLogged: (events: LoggedEvent[]) => boolean) =>
  eventually(() => logOf(user), isLogged);
const hasCount = (type: PublicEventType, count = 1) => {
  return (events: LoggedEvent[]): boolean => events.filter((event) => event.type === type).length === count;
};
const request = async (method: string, path: string, user: User, body?: unknown): Promise<any> => {
  const response = await api(method, path, { token: user.apiKey, ...(body !== undefined && { body }) });
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
};

/** Registers an application of the creator, to which the fan consents, with a webhook endpoint. */
async function newApplication() {
  const person = await signedIn(fan);
  const application = await newGrantedApplication(await signedIn(creator), person, 'read');
  const body = { url: `${receiver.origin}/application`, applicationId: application.id };
  await request('POST', '/webhook_endpoints', creator, body);
  const path = `/account/applications/${application.id}`;
  const revoke = async () => {
    const { csrf } = await person.open('/account/applications');
    return person.send(`${path}/revoke`, { csrf });
  };
  return { ...application, revoke };
}

interface CausedEvents {
  readonly material: number;
  readonly product: number;
  readonly favorite: number;
  readonly anonymousFavorite: number;
  readonly choice: number;
  readonly choiceOfStranger: number;
  readonly application: number;
  readonly endpoint: number;
  /** Events of the fan that the application has read before the revocation. */
  readonly byApplication: LoggedEvent[];
  /** Status of a read of the application after the revocation. */
  readonly afterRevocation: number;
}

/** Causes events of all types. Waits where two events could be logged in either order. */
async function causeEvents(): Promise<CausedEvents> {
  const application = await newApplication();
  const { choice: unrelated } = await request('POST', '/choices', stranger, { title: 'Elsewhere' });
  const { material, products } = await newMaterial(creator, { products: [{ itemId: badge, published: true }] });
  const [{ id: product }] = products;
  await untilLogged(creator, hasCount('material.rendered'));
  const change = (body: object) => request('PUT', `/materials/${material.id}`, creator, body);
  await change({ title: 'Beacon' });
  await change({ products: [{ itemId: badge, published: false }] });
  await change({ products: [{ itemId: badge, published: true }] });

  const placeFavorite = (body: object) => request('POST', `/products/${product}/favorites`, fan, body);
  const { favorite } = await placeFavorite({});
  await placeFavorite({ count: 2 });
  await request('DELETE', `/products/${product}/favorites`, fan);
  const { favorite: anonymousFavorite } = await placeFavorite({ anonymous: true });

  const { choice } = await request('POST', '/choices', fan, { title: 'Lights' });
  await request('PUT', `/choices/${choice.id}`, fan, { title: 'Beacons', description: 'By night' });
  await request('POST', `/choices/${choice.id}`, fan, { productId: product });
  await request('DELETE', `/choices/${choice.id}`, fan);

  await recordSale(product, fan.name);
  const { webhookEndpoint } = await request('POST', '/webhook_endpoints', creator, { url: receiver.origin });
  await request('POST', `/webhook_endpoints/${webhookEndpoint.id}/test`, creator);
  await request('DELETE', `/webhook_endpoints/${webhookEndpoint.id}`, creator);

  const beforeRevocation = await untilLogged(fan, hasCount('choice.updated', 4));
  const { events: byApplication } = await read(application.token);
  expect(byApplication).toEqual(beforeRevocation);
  await eventually(
    () => Promise.resolve(received.length),
    (count) => count >= beforeRevocation.length,
  );
  expect((await application.revoke()).status).toBe(303);
  const { status: afterRevocation } = await api('GET', '/events', { token: application.token });
  await request('DELETE', `/materials/${material.id}`, creator);

  await untilLogged(
    creator,
    (events) => hasCount('material.deleted')(events) && hasCount('application.revoked')(events),
  );
  await untilLogged(creator, (events) => hasCount('sale.recorded')(events) && hasCount('activity.created', 3)(events));
  await untilLogged(
    fan,
    (events) => hasCount('favorite.withdrawn', 2)(events) && hasCount('application.revoked')(events),
  );
  return {
    material: material.id,
    product,
    favorite: favorite.id,
    anonymousFavorite: anonymousFavorite.id,
    choice: choice.id,
    choiceOfStranger: unrelated.id,
    application: application.id,
    endpoint: webhookEndpoint.id,
    byApplication,
    afterRevocation,
  };
}

let made: CausedEvents;

beforeAll(async () => {
  [creator, fan, stranger] = (await newUsers(3)) as [User, User, User];
  badge = (await itemsByName(creator.apiKey))['can-badge'].id;
  receiver = await serve((incoming, response) => {
    if (incoming.url === '/application') received.push(String(incoming.headers['webhook-id']));
    incoming.resume().on('end', () => response.writeHead(204).end());
  });
  made = await causeEvents();
}, 180_000);
afterAll(() => receiver.close());

/** Returns the events of one resource in the log of a user, as `[type, sequence, data]`. */
const eventsAbout = async (user: User, field: string, id: number, types: string) =>
  (await logOf(user))
    .filter(({ type, data }) => type.startsWith(types) && data[field] === id)
    .map(({ type, sequence, data }) => [type, sequence, data]);

describe('the log of a user', () => {
  it('has events of every type, with data of the public contract', async () => {
    const events = [...(await logOf(creator)), ...(await logOf(fan))];
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([...publicEventTypes].sort());
    for (const { type, data } of events) expect(publicEvents[type].data.strict().parse(data)).toEqual(data);
  });

  it('has the changes of a material, with sequences from 1 without gaps, oldest first', async () => {
    const { material: materialId, product: productId } = made;
    expect(await eventsAbout(creator, 'materialId', materialId, 'material.')).toEqual([
      ['material.created', 1, { materialId }],
      ['material.rendered', 2, { materialId, images: expect.any(Number) }],
      ['material.updated', 3, { materialId, changed: ['title'] }],
      ['material.updated', 4, { materialId, changed: ['products'] }],
      ['material.updated', 5, { materialId, changed: ['products'] }],
      ['material.deleted', 6, { materialId, productIds: [productId] }],
    ]);
  });

  it('has each change of the visibility of a product', async () => {
    const { material: materialId, product: productId } = made;
    const data = { productId, materialId, itemId: badge };
    expect(await eventsAbout(creator, 'productId', productId, 'product.')).toEqual([
      ['product.published', 1, data],
      ['product.unpublished', 2, data],
      ['product.published', 3, data],
      ['product.unpublished', 4, data],
    ]);
  });

  it('has the favorites that the user placed, and those of others on products of the user', async () => {
    const { favorite: favoriteId, product: productId } = made;
    const data = { favoriteId, productId, userId: fan.id };
    for (const user of [fan, creator])
      expect(await eventsAbout(user, 'favoriteId', favoriteId, 'favorite.')).toEqual([
        ['favorite.placed', 1, { ...data, count: 1 }],
        ['favorite.placed', 2, { ...data, count: 3 }],
        ['favorite.withdrawn', 3, data],
      ]);
  });

  it('has an anonymous favorite, which names its user in the log of this user only', async () => {
    const { anonymousFavorite: favoriteId, product: productId } = made;
    const data = { favoriteId, productId, userId: fan.id };
    expect(await eventsAbout(fan, 'favoriteId', favoriteId, 'favorite.')).toEqual([
      ['favorite.placed', 1, { ...data, count: 1 }],
      ['favorite.withdrawn', 2, data],
    ]);
    expect(await eventsAbout(creator, 'favoriteId', favoriteId, 'favorite.')).toEqual([
      ['favorite.placed', 1, { ...data, count: 1, userId: null }],
    ]);
  });

  it('has the changes of a choice', async () => {
    const { choice: choiceId } = made;
    const changes = [['created'], ['title', 'description'], ['choiceProducts'], ['deleted']];
    expect(await eventsAbout(fan, 'choiceId', choiceId, 'choice.')).toEqual(
      changes.map((changed, at) => ['choice.updated', at + 1, { choiceId, changed }]),
    );
  });

  it('has sales, tests and activities, each with the sequence 1', async () => {
    const { product: productId, endpoint: endpointId } = made;
    expect(await eventsAbout(creator, 'productId', productId, 'sale.')).toEqual([['sale.recorded', 1, { productId }]]);
    expect(await eventsAbout(creator, 'endpointId', endpointId, 'webhook.')).toEqual([
      ['webhook.test', 1, { endpointId }],
    ]);
    const activities = (await logOf(creator)).filter(({ type }) => type === 'activity.created');
    const { body } = await api('GET', '/activities', { token: creator.apiKey });
    expect(activities.map(({ data }) => data.activityId).sort()).toEqual(
      body.activities.map(({ id }: any) => id).sort(),
    );
    expect(activities.map(({ sequence }) => sequence)).toEqual([1, 1, 1]);
  });

  it('has the revocation of an application, for the user and for its owner', async () => {
    const { application: applicationId } = made;
    for (const user of [fan, creator])
      expect(await eventsAbout(user, 'applicationId', applicationId, 'application.')).toEqual([
        ['application.revoked', 1, { applicationId, userId: fan.id }],
      ]);
  });

  it('has no events of other users', async () => {
    expect((await logOf(stranger)).map(({ data }) => data)).toEqual([
      { choiceId: made.choiceOfStranger, changed: ['created'] },
    ]);
    const ownTypes = /^(?:material|product|sale|webhook)\./;
    expect((await logOf(fan)).filter(({ type }) => ownTypes.test(type))).toEqual([]);
    expect((await logOf(creator)).filter(({ type }) => type.startsWith('choice.'))).toEqual([]);
  });
});

describe('an application', () => {
  it('reads the events of its user until the revocation', () => {
    expect(made.byApplication.length).toBeGreaterThan(5);
    expect(made.afterRevocation).toBe(401);
  });

  it('receives the events of users with a consent only, each once', async () => {
    expect([...received].sort()).toEqual(made.byApplication.map(({ id }) => id).sort());
    const revoked = (await logOf(fan)).slice(made.byApplication.length).map(({ type }) => type);
    expect(revoked).toContain('application.revoked');
  });
});

describe('a page', () => {
  const pagesOf = async (user: User, query: string): Promise<Log[]> => {
    const pages: Log[] = [];
    do {
      const after = pages.length === 0 ? '' : `&after=${pages.at(-1)!.meta.cursor}`;
      pages.push(await read(user.apiKey, `?${query}${after}`));
    } while (pages.at(-1)!.meta.hasNext);
    return pages;
  };

  it.each([1, 3, 200])('of %d continues at its cursor, without a gap or a repetition', async (limit) => {
    const all = await logOf(creator);
    const pages = await pagesOf(creator, `limit=${limit}`);
    expect(pages).toHaveLength(Math.ceil(all.length / limit));
    expect(pages.flatMap(({ events }) => events)).toEqual(all);
    const { cursor } = pages.at(-1)!.meta;
    expect(await read(creator.apiKey, `?after=${cursor}`)).toEqual({ events: [], meta: expect.anything() });
  });

  it('of several types has the events of these types only, in the same order', async () => {
    const types = ['product.published', 'material.deleted', 'material.created'];
    const expected = (await logOf(creator)).filter(({ type }) => types.includes(type));
    const pages = await pagesOf(creator, `types=${types.join()}&limit=2`);
    expect(pages.map(({ events }) => events.length)).toEqual([2, 2]);
    expect(pages.flatMap(({ events }) => events)).toEqual(expected);
  });

  it('after latest is empty, and its cursor continues with the next event', async () => {
    const { events, meta } = await read(fan.apiKey, '?after=latest');
    expect([events, meta.hasNext]).toEqual([[], false]);
    const { choice } = await request('POST', '/choices', fan, { title: 'Later' });
    const next = await eventually(
      () => read(fan.apiKey, `?after=${meta.cursor}`),
      (page) => page.events.length > 0,
    );
    expect(next.events.map(({ data }) => data)).toEqual([{ choiceId: choice.id, changed: ['created'] }]);
  });
});

describe('a read is rejected', () => {
  it.each([
    ['types', 'material.made'],
    ['types', 'material.created,sale'],
    ['limit', '0'],
    ['limit', '201'],
    ['after', 'newest'],
    ['after', '-1'],
  ])('with %s=%s, which names the parameter', async (name, value) => {
    const { status, body } = await api('GET', `/events?${name}=${value}`, { token: creator.apiKey });
    expect([status, body.errors.map(({ path }: any) => path)]).toEqual([400, [`query.${name}`]]);
  });

  it('after the end of the log, as after deleted events', async () => {
    const { status, body } = await api('GET', `/events?after=${'9'.repeat(15)}`, { token: creator.apiKey });
    expect([status, body.code]).toEqual([410, 'event.cursor-expired']);
  });

  it('without a token, and without the scope read', async () => {
    const { token } = await operator('token', 'create', '--user', creator.name, '--scope', 'write');
    const rejected = [await api('GET', '/events'), await api('GET', '/events', { token })];
    expect(rejected.map(({ status, body }) => [status, body.code])).toEqual([
      [401, 'token.missing'],
      [401, 'token.insufficient-scope'],
    ]);
  });
});
