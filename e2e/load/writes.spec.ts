import { Client } from './client.js';
import { LoadLedger } from './ledger.js';
import type { ProductRecord } from './load.js';
import { Random } from './random.js';
import { Sender } from './sender.js';
import { Stage } from './stage.js';
import { Tallies } from './tallies.js';
import { FakeGateway, type Reply } from './testing/fake-gateway.js';
import { Writes } from './writes.js';

const user = { id: 1, name: 'user-1', apiKey: 'key' };
const fillableId = 10;
const product: ProductRecord = {
  id: 30,
  itemId: fillableId,
  published: true,
  resizeMode: 'cover',
  sampleImageUrl: 'http://shop.test/images/30',
};
/** Ids of the user's materials: 12, the maximum, so that `createOrDelete` deletes the oldest. */
const ids = Array.from({ length: 12 }, (_, index) => 3 + index);

let gateway: FakeGateway;
let client: Client;
let ledger: LoadLedger;
let writes: Writes;

beforeEach(async () => {
  gateway = await FakeGateway.start();
  client = new Client([gateway.url]);
  ledger = new LoadLedger([user]);
  const random = new Random(1);
  const stage = new Stage(random);
  for (const id of ids) {
    const made = { id, title: `Gull ${id}`, products: id === 3 ? [product] : [] };
    ledger.made(user.id, made.title, made);
    stage.add({ ...made, user });
  }
  const goods = { textures: [], itemIds: [fillableId], fillableId };
  const sender = new Sender(client, new Tallies());
  writes = new Writes({ sender, ledger, stage, users: [user], goods, random, seed: 1 });
});
afterEach(async () => {
  await client.close();
  await gateway.close();
});

const respondInOrder = (...replies: (Reply | 'break')[]): void => {
  gateway.respond = () => replies.shift()!;
};
const status = (code: number): Reply => ({ status: code, body: {} });

describe('a deletion with 404', () => {
  it.each([503, 429])('is an error after %s, which has no effect', async (code) => {
    respondInOrder(status(code), status(404));
    await writes.createOrDelete();
    expect(ledger.objections).toEqual(['deleting material 3 returned 404: {}']);
  });

  it.each<[string, Reply | 'break']>([
    ['504', status(504)],
    ['a broken connection', 'break'],
  ])('is expected after %s, which may have had the effect', async (_, first) => {
    respondInOrder(first, status(404));
    await writes.createOrDelete();
    expect(ledger.objections).toEqual([]);
    expect(ledger.materials.get(3)!.deleted).toBe(true);
  });
});

it('changes the resize mode of a product and records the response', async () => {
  const now = { ...product, resizeMode: 'contain', sampleImageUrl: 'http://shop.test/images/30?v=1' };
  const shown = { ...now, item: { id: fillableId } };
  respondInOrder({ status: 200, body: { material: { id: 3, title: 'Gull 3' }, products: [shown] } });
  await writes.redraw();
  expect(gateway.received).toEqual([{ request: 'PUT /api/v1/materials/3', key: undefined }]);
  expect(ledger.materials.get(3)).toMatchObject({ products: [now], redrawing: undefined });
  expect(ledger.objections).toEqual([]);
});
