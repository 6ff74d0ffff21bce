import { LoadLedger } from './ledger.js';
import type { ProductRecord } from './load.js';

const product = (id: number): ProductRecord => ({
  id,
  itemId: 10,
  published: true,
  resizeMode: 'cover',
  sampleImageUrl: `http://shop.test/images/${id}`,
});
const made = (id: number, title: string) => ({ id, title, products: [product(id * 10)] });
const at = { userId: 1, productId: 30, ownerId: 2 };
const none = new Set([0]);

let ledger: LoadLedger;
let acknowledged: number;
beforeEach(() => {
  acknowledged = 0;
  ledger = new LoadLedger([], () => (acknowledged += 1));
  ledger.making(1, 'Gull');
  ledger.made(1, 'Gull', made(3, 'Gull'));
});
const titles = () => [...ledger.materials.get(3)!.titles];
const counts = () => [...ledger.favorites.get('1/30')!.counts];

describe('a material', () => {
  it('exists after its response, and not before', () => {
    ledger.making(2, 'Tide');
    expect([...ledger.materials.keys()]).toEqual([3]);
    expect([...ledger.maybeMade]).toEqual([['Tide', 2]]);
    ledger.made(2, 'Tide', made(4, 'Tide'));
    expect([...ledger.materials.keys()]).toEqual([3, 4]);
    expect(ledger.maybeMade.size).toBe(0);
  });

  it('may have both titles until the response to its change, then only the new one', () => {
    ledger.retitling(3, 'Tide');
    expect(titles()).toEqual(['Gull', 'Tide']);
    ledger.retitled(3, 'Tide', 'Tide');
    expect(titles()).toEqual(['Tide']);
  });

  it('may exist or not until the response to its deletion', () => {
    ledger.deleting(3);
    expect(ledger.materials.get(3)!.deleted).toBe('unknown');
    ledger.deleted(3);
    expect(ledger.materials.get(3)!.deleted).toBe(true);
  });

  it('may have both resize modes until the response, then the new one with another image URL', () => {
    const redrawing = { productId: 30, resizeMode: 'contain' } as const;
    ledger.redrawing(3, redrawing);
    expect(ledger.materials.get(3)).toMatchObject({ redrawing, products: [product(30)] });
    const now = { ...product(30), resizeMode: 'contain', sampleImageUrl: 'http://shop.test/images/30?v=1' } as const;
    ledger.redrawn(3, redrawing, [now]);
    expect(ledger.materials.get(3)).toMatchObject({ redrawing: undefined, products: [now] });
    expect(ledger.objections).toEqual([]);
  });

  it('is reported if the response has the previous resize mode', () => {
    const redrawing = { productId: 30, resizeMode: 'contain' } as const;
    ledger.redrawing(3, redrawing);
    ledger.redrawn(3, redrawing, [product(30)]);
    expect(ledger.objections).toEqual([
      'product 30 was changed to contain and was returned as cover',
      'product 30 was changed and its image has the old URL',
    ]);
  });

  it('is reported if its id was returned before, or its title differs', () => {
    ledger.made(1, 'Tide', made(3, 'Tide'));
    ledger.retitling(3, 'Rope');
    ledger.retitled(3, 'Rope', 'Gull');
    expect(ledger.objections).toEqual([
      'material 3 was returned for two creations',
      'material 3 was named "Rope" and returned as "Gull"',
    ]);
  });

  it('has the revision of its last change', () => {
    const { revision } = ledger;
    ledger.retitling(3, 'Tide');
    expect(ledger.materials.get(3)!.revision).toBe(revision + 1);
    expect(ledger.revision).toBe(revision + 1);
  });
});

describe('a favorite', () => {
  it('may have the old or new count until the response', () => {
    ledger.placing(at, 2);
    expect(counts()).toEqual([0, 2]);
    ledger.placed('1/30', none, 2, { count: 2, totalCount: 7 });
    expect(counts()).toEqual([2]);
    ledger.placing(at, 3);
    expect(counts()).toEqual([2, 5]);
  });

  it('counts as placed only after a response', () => {
    ledger.placing(at, 2);
    expect(ledger.favorites.get('1/30')!.everPlaced).toBe('unknown');
    ledger.placed('1/30', none, 2, { count: 2, totalCount: 2 });
    ledger.withdrawing('1/30');
    ledger.withdrawn('1/30', new Set([2]), 2);
    expect(ledger.favorites.get('1/30')!.everPlaced).toBe(true);
    expect(counts()).toEqual([0]);
  });

  it('may have no or all counts until the response to its deletion', () => {
    ledger.placing(at, 2);
    ledger.placed('1/30', none, 2, { count: 2, totalCount: 2 });
    ledger.withdrawing('1/30');
    expect(counts()).toEqual([2, 0]);
    ledger.withdrawn('1/30', new Set([2]), undefined);
    expect(counts()).toEqual([0]);
  });

  it('is reported if a response does not follow from the previous one', () => {
    ledger.placing(at, 2);
    ledger.placed('1/30', none, 2, { count: 4, totalCount: 3 });
    ledger.withdrawing('1/30');
    ledger.withdrawn('1/30', new Set([4]), 3);
    expect(ledger.objections).toEqual([
      'favorite 1/30 was [0], got 2 more and was returned as 4',
      'favorite 1/30 counts 4 of 3 in total',
      'favorite 1/30 was [4] and was deleted as 3',
    ]);
  });
});

it('counts the sent and the acknowledged writes of each resource', () => {
  ledger.retitling(3, 'Tide');
  ledger.retitled(3, 'Tide', 'Tide');
  ledger.redrawing(3, { productId: 30, resizeMode: 'contain' });
  expect(ledger.materials.get(3)!.changes).toEqual({ sent: 2, acknowledged: 1 });
  ledger.placing(at, 1);
  ledger.placed('1/30', none, 1, { count: 1, totalCount: 1 });
  ledger.placing(at, 1);
  ledger.withdrawing('1/30');
  expect(ledger.favorites.get('1/30')).toMatchObject({
    placements: { sent: 2, acknowledged: 1 },
    withdrawals: { sent: 1, acknowledged: 0 },
  });
});

it('counts each acknowledged write once', () => {
  ledger.retitling(3, 'Tide');
  ledger.retitled(3, 'Tide', 'Tide');
  ledger.placing(at, 1);
  ledger.placed('1/30', none, 1, { count: 1, totalCount: 1 });
  ledger.withdrawing('1/30');
  ledger.withdrawn('1/30', new Set([1]), 1);
  ledger.deleting(3);
  ledger.deleted(3);
  ledger.making(1, 'Rope');
  ledger.notMade('Rope');
  expect([ledger.acknowledgedWrites, acknowledged]).toEqual([5, 5]);
});
