import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blanksFolder, readCatalogFiles } from '#blanks';
import { type EventPayload, type ImportedBundle } from '#contracts';
import { BroadcastListener } from '#request-queue';
import { testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { settings } from '../testing/catalog-fixture.js';
import { ItemCache } from './item.cache.js';
import { itemEntities } from './item.entity.js';
import { ImportedItemQueries } from './imported-item.queries.js';
import { ItemImportRepository } from './item-import.repository.js';
import { firstAssignedId } from './item-import.rules.js';
import { ItemQueries } from './item.queries.js';
import { ItemRepository } from './item.repository.js';
import { ItemService } from './item.service.js';

let db: TestDatabase;
let broadcasts: BroadcastListener;
let catalog: ItemCache;
let items: ItemService;

beforeAll(async () => {
  db = await testDatabase('catalog', [...itemEntities]);
  broadcasts = new BroadcastListener({ redisUrl: testRedisUrl() });
});
afterAll(async () => {
  broadcasts.close();
  await db.close();
});
beforeEach(async () => {
  catalog = new ItemCache(new ItemQueries(db.database), settings, broadcasts);
  const imports = new ItemImportRepository(db.database);
  items = new ItemService(new ItemRepository(db.database), imports, new ImportedItemQueries(db.database), catalog);
  await items.load();
  await db.database.query('delete from outbox');
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Returns a bundle of the mug under another name, without ids, after a change. Any type, because
 * the tests break it.
 */
function bundle(name: string, change: (item: any) => void = () => undefined): ImportedBundle {
  const item = JSON.parse(readFileSync(`${blanksFolder}/items/mug/item.json`, 'utf8'));
  delete item.id;
  delete item.exemplaryVariantId;
  for (const variant of item.variants) {
    delete variant.id;
    delete variant.printPlaceIds;
  }
  item.name = name;
  change(item);
  const content = { item, colors: [], sizes: [], categories: [], printPlaces: [] };
  return { hash: hashOf(JSON.stringify(content)), layers: hashOf(name), blobs: [], ...content };
}

/** Adds products of the item without images, each of its own material. */
const addProducts = (
  itemId: number,
  variantId: number,
  { count = 1, violation = false, prints = [] as object[] } = {},
) =>
  db.database.query(
    `with material as (
       insert into materials (user_id, title, price, published, violation, texture_hash, texture_format, original_width, original_height)
         select 1, 'A', 0, false, $4, repeat('a', 64), 'png', 1, 1 from generate_series(1, $3) returning id)
     insert into products (material_id, user_id, item_id, exemplary_variant_id, published, violation, prints)
       select id, 1, $1, $2, false, $4, $5 from material`,
    [itemId, variantId, count, violation, JSON.stringify(prints)],
  );

const eventCount = async () => (await db.database.query('select 1 from outbox')).length;
const imported = async (name: string) => (await catalog.current()).itemByName(name);

describe('ItemService.import', () => {
  it('adds an item with ids of its own, visible to the next request', async () => {
    const { item, changed } = await items.import(bundle('tall-mug'));
    expect(changed).toBe(true);
    expect(item).toMatchObject({ name: 'tall-mug', version: 1, enabled: true, products: 0 });
    expect(item.id).toBeGreaterThanOrEqual(firstAssignedId);
    const { variants, layers, exemplaryVariant } = (await imported('tall-mug'))!;
    expect(layers).toBe(hashOf('tall-mug'));
    expect(variants.length).toBe(item.variants);
    expect(exemplaryVariant.id).toBe(variants[0]!.id);
    const ids = variants.flatMap((it) => [it.id, ...it.printPlaces.map(({ id }) => id)]);
    expect(Math.min(...ids)).toBeGreaterThanOrEqual(firstAssignedId);
    expect(await eventCount()).toBe(1);
  });

  it('uses the blobs of the last version of an item, also of a retired one', async () => {
    const [old, current] = ['a', 'b'].map((letter) => ({ key: `layers/${letter}`, bytes: 1, sha256: hashOf(letter) }));
    const keys = [old!.key, current!.key, 'layers/other'];
    await items.import({ ...bundle('blob-mug'), blobs: [old!] });
    expect(await items.usedBlobs(keys)).toEqual([old!.key]);
    await items.import({ ...bundle('blob-mug', (it) => (it.displayOrder = 7)), blobs: [current!] });
    await items.retire('blob-mug');
    expect(await items.usedBlobs(keys)).toEqual([current!.key]);
    expect(await items.usedBlobs(['layers/other'])).toEqual([]);
  });

  it('changes nothing for the same bundle', async () => {
    const first = await items.import(bundle('same-mug'));
    await db.database.query('delete from outbox');
    expect(await items.import(bundle('same-mug'))).toEqual({ ...first, changed: false });
    expect(await eventCount()).toBe(0);
  });

  it('keeps all ids in a new version, and disables variants that it does not have', async () => {
    await items.import(bundle('next-mug'));
    const before = (await imported('next-mug'))!;
    const { item } = await items.import(
      bundle('next-mug', (it) => {
        it.variants = [
          { ...it.variants[1], price: 4_321 },
          { ...it.variants[0], color: 'burgundy' },
        ];
      }),
    );
    expect([item.version, item.variants]).toEqual([2, 2]);
    const after = (await imported('next-mug'))!;
    expect(after.id).toBe(before.id);
    const kept = after.variants.find(({ id }) => id === before.variants[1]!.id)!;
    expect(kept).toMatchObject({ price: 4_321, enabled: true, printPlaces: before.variants[1]!.printPlaces });
    expect(after.variants.filter(({ enabled }) => !enabled).map(({ id }) => id)).toContain(before.variants[0]!.id);
  });

  it('adds colors and sizes of the bundle once, for all items', async () => {
    const lime = { name: 'lime', displayName: { ja: 'ライム', en: 'Lime' }, rgb: '#a0e020' };
    const withLime = (name: string, rgb = lime.rgb) => ({
      ...bundle(name, (it) => (it.variants[0].color = 'lime')),
      colors: [{ ...lime, rgb }],
    });
    await items.import(withLime('lime-mug'));
    await items.import(withLime('lime-cup'));
    const [one, other] = [(await imported('lime-mug'))!, (await imported('lime-cup'))!];
    expect(other.variants[0]!.color).toEqual(one.variants[0]!.color);
    await expect(items.import(withLime('lime-jug', '#000000'))).rejects.toMatchObject({
      errors: [{ path: 'colors.json:0', message: 'is in the catalog with other values' }],
    });
    expect(await imported('lime-jug')).toBeUndefined();
  });

  it('corrects a color, size and category that no other item uses', async () => {
    const own = { displayName: { ja: '自作', en: 'Own' } };
    const withOwn = (name: string, en: string, rgb: string) => {
      const displayName = { ...own.displayName, en };
      return {
        ...bundle(name, (it) => {
          it.category = 'own-things';
          Object.assign(it.variants[0], { color: 'own-teal', size: 'own-size' });
        }),
        hash: hashOf(name + en + rgb),
        colors: [{ displayName, name: 'own-teal', rgb }],
        sizes: [{ displayName, name: 'own-size' }],
        categories: [{ displayName, name: 'own-things', displayOrder: 99 }],
      };
    };
    await items.import(withOwn('teal-mug', 'Teel', '#000000'));
    const before = (await imported('teal-mug'))!.variants[0]!;
    await db.database.query('delete from outbox');
    await items.import(withOwn('teal-mug', 'Teal', '#008080'));
    const { color, size } = (await catalog.current()).in('en').itemByName('teal-mug')!.variants[0]!;
    expect(color).toEqual({ id: before.color.id, name: 'own-teal', displayName: 'Teal', rgb: '#008080' });
    expect(size).toEqual({ id: before.size.id, name: 'own-size', displayName: 'Teal' });
    expect((await catalog.current()).in('en').listJson.includes('{"name":"own-things","displayName":"Teal"}')).toBe(
      true,
    );
    const events = await db.database.query<{ name: string }>('select name from outbox');
    expect(events.map((it) => it.name).sort()).toEqual(['item.updated', 'items.changed']);
    await items.import(withOwn('teal-cup', 'Teal', '#008080'));
    await expect(items.import(withOwn('teal-mug', 'Teel', '#000000'))).rejects.toMatchObject({
      errors: ['colors', 'sizes', 'categories'].map((list) => ({
        path: `${list}.json:0`,
        message: 'is in the catalog with other values',
      })),
    });
  });

  it('rejects other values of a color, size and category that ship with the service', async () => {
    const { colors, sizes, categories } = readCatalogFiles(blanksFolder);
    const displayName = { ja: '自作', en: 'Own' };
    await items.import({ ...bundle('shipped-mug'), categories: [...categories] });
    const changed = {
      ...bundle('shipped-mug'),
      hash: hashOf('changed'),
      colors: [{ ...colors.at(-1), displayName }],
      sizes: [{ ...sizes.at(-1), displayName }],
      categories: categories.map((it) => ({ ...it, displayOrder: 9_999 })),
    };
    await expect(items.import(changed)).rejects.toMatchObject({
      errors: [...['colors.json:0', 'sizes.json:0'], ...categories.map((_, index) => `categories.json:${index}`)].map(
        (path) => ({ path, message: 'is in the catalog with other values' }),
      ),
    });
  });

  it('rejects a version without what its products show, and writes nothing', async () => {
    const withBack = bundle('used-mug', (it) => {
      it.printPlaces.push({ ...it.printPlaces[0], name: 'back' });
      it.angles.push({ name: 'back', printPlace: 'back', essential: false });
    });
    const lacking = bundle('used-mug', (it) => {
      it.isEmbroidery = true;
      Object.assign(it.printPlaces[0].printing, { technique: 'embroidery', mirror: false });
      it.angles = it.angles.filter(({ name }: { name: string }) => name !== 'left');
    });
    const { item } = await items.import(withBack);
    const variant = (await imported('used-mug'))!.exemplaryVariant.id;
    await addProducts(item.id, variant, { prints: [{ place: 'back' }] });
    await expect(items.import(lacking)).rejects.toMatchObject({
      errors: [
        { path: 'item.json:angles', message: 'must have left, which 1 product shows' },
        { path: 'item.json:angles', message: 'must have back, which 1 product shows' },
        { path: 'item.json:printPlaces', message: 'must have back, which 1 product shows' },
        { path: 'item.json:isEmbroidery', message: 'must be false, because the item has 1 product' },
      ],
    });
    expect((await items.imported()).find(({ id }) => id === item.id)).toMatchObject({ version: 1, products: 1 });
    await db.database.query('delete from products where item_id = $1', [item.id]);
    expect(await items.import(bundle('used-mug', (it) => (it.angles = it.angles.slice(0, 2))))).toMatchObject({
      item: { version: 2 },
    });
  });

  it('rejects a version without a print place of a variant that products of the variant show', async () => {
    const withBack = (change: Parameters<typeof bundle>[1] = () => undefined) =>
      bundle('two-sided-mug', (it) => {
        it.printPlaces.push({ ...it.printPlaces[0], name: 'back' });
        change(it);
      });
    const outsideOnly = (index: number) => withBack((it) => (it.variants[index].printPlaceIds = { outside: 1 }));
    const { item } = await items.import(withBack());
    const [first, second] = (await imported('two-sided-mug'))!.variants;
    await addProducts(item.id, first!.id);
    await addProducts(item.id, second!.id, { count: 2, prints: [{ place: 'back' }] });
    const { color, size } = second!;
    await expect(items.import(outsideOnly(1))).rejects.toMatchObject({
      errors: [
        {
          path: 'item.json:variants.1.printPlaceIds',
          message: `must have back of ${color.name}/${size.name}, which 2 products show`,
        },
      ],
    });
    await items.import(outsideOnly(0));
    const places = (await imported('two-sided-mug'))!.variants.map((it) => it.printPlaces.map(({ place }) => place));
    expect(places.slice(0, 2)).toEqual([['outside'], ['outside', 'back']]);
  });

  it('deletes print places that the item does not have any more, also of disabled variants', async () => {
    const places = async () =>
      (await imported('spare-mug'))!.variants.map((it) => it.printPlaces.map(({ place }) => place));
    const version = (variants: number, hasBack: boolean) =>
      bundle('spare-mug', (it) => {
        it.variants = it.variants.slice(0, variants);
        if (hasBack) it.printPlaces.push({ ...it.printPlaces[0], name: 'back' });
      });
    await items.import(version(2, true));
    await items.import(version(1, true));
    expect(await places()).toEqual([
      ['outside', 'back'],
      ['outside', 'back'],
    ]);
    await items.import(version(1, false));
    expect(await places()).toEqual([['outside'], ['outside']]);
  });

  it('assigns no id twice, neither of deleted print places nor of a process without the sequence', async () => {
    const placeIds = async (name: string) =>
      (await imported(name))!.variants.flatMap((it) => it.printPlaces.map(({ id }) => id));
    await items.import(
      bundle('first-mug', (it) => {
        it.printPlaces.push({ ...it.printPlaces[0], name: 'back' });
      }),
    );
    const before = await placeIds('first-mug');
    await items.import(bundle('first-mug'));
    await items.import(bundle('second-mug'));
    const second = await placeIds('second-mug');
    expect(second.filter((id) => before.includes(id))).toEqual([]);
    await db.database.query(`select setval('own_ids', $1)`, [firstAssignedId]);
    await items.import(bundle('third-mug'));
    expect(await placeIds('second-mug')).toEqual(second);
    expect((await placeIds('third-mug')).filter((id) => second.includes(id))).toEqual([]);
  });

  it('rejects an invalid item with all mistakes, and writes nothing', async () => {
    const invalid = bundle('bad-mug', (it) => {
      it.variants[0].color = 'invisible';
      it.category = 'toys';
    });
    await expect(items.import(invalid)).rejects.toMatchObject({
      errors: [
        { path: 'item.json:category', message: 'toys is not in categories.json' },
        { path: 'item.json:variants.0.color', message: 'invisible is not in colors.json' },
      ],
    });
    expect(await eventCount()).toBe(0);
  });

  it('rejects another name of a print place of the catalog', async () => {
    const printPlaces = [{ name: 'front', displayName: { ja: '前', en: 'Face' } }];
    await expect(items.import({ ...bundle('face-mug'), printPlaces })).rejects.toMatchObject({
      errors: [{ path: 'print-places.json:0', message: 'is in the catalog with other values' }],
    });
  });

  it('rejects the name of an item that ships with the service', async () => {
    await expect(items.import(bundle('mug'))).rejects.toMatchObject({
      errors: [{ path: 'item.json:name', message: 'mug is an item that ships with the service' }],
    });
  });

  it('ignores the ids of a copied item, except to find the representative variant', async () => {
    const copy = JSON.parse(readFileSync(`${blanksFolder}/items/mug/item.json`, 'utf8'));
    const before = (await imported('mug'))!;
    await items.import(bundle('copied-mug', (it) => Object.assign(it, copy, { name: 'copied-mug' })));
    const { id, variants, exemplaryVariant } = (await imported('copied-mug'))!;
    expect(Math.min(id, ...variants.map((it) => it.id))).toBeGreaterThanOrEqual(firstAssignedId);
    const index = copy.variants.findIndex((it: { id: number }) => it.id === copy.exemplaryVariantId);
    expect(variants.indexOf(exemplaryVariant)).toBe(index);
    expect((await imported('mug'))!.json).toEqual(before.json);
  });

  it('imports once when the same bundle arrives several times at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 6 }, () => items.import(bundle('twin-mug'))));
    expect(results.filter(({ changed }) => changed)).toHaveLength(1);
    expect(new Set(results.map(({ item }) => item.id)).size).toBe(1);
  });

  it('remains when the files of the catalog are loaded again', async () => {
    await items.import(bundle('own-mug'));
    await items.load();
    expect((await imported('own-mug'))?.enabled).toBe(true);
    expect((await imported('own-mug'))?.variants.every(({ enabled }) => enabled)).toBe(true);
  });

  it('is possible when the items that ship with the service are not offered', async () => {
    expect(await items.load(blanksFolder, true)).toMatchObject({ items: 0, variants: 0, colors: 22 });
    await items.import(bundle('only-mug'));
    expect((await catalog.current()).items.map(({ name }) => name)).toContain('only-mug');
    expect((await catalog.current()).itemByName('t-shirt')).toMatchObject({ enabled: false });
    await items.load();
    expect((await catalog.current()).itemByName('t-shirt')).toMatchObject({ enabled: true });
  });
});

describe('ItemService.load', () => {
  it('keeps items, colors and sizes of the operator whose names a release ships later', async () => {
    const own = { displayName: { ja: '自作', en: 'Own' } };
    const bundled = {
      ...bundle('thermos', (it) => Object.assign(it.variants[0], { color: 'own-lime', size: 'tiny' })),
      colors: [{ ...own, name: 'own-lime', rgb: '#a0e020' }],
      sizes: [{ ...own, name: 'tiny' }],
    };
    await items.import(bundled);
    const before = (await imported('thermos'))!;
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    cpSync(blanksFolder, folder, { recursive: true });
    // Any type, because the files have different ones
    const edit = (file: string, change: (content: any) => void) => {
      const content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      change(content);
      writeFileSync(join(folder, file), JSON.stringify(content));
    };
    edit('colors.json', (it) => it.push({ ...own, name: 'own-lime', rgb: '#00ff00', id: 999 }));
    edit('sizes.json', (it) => it.push({ ...own, name: 'tiny', id: 999 }));
    edit('items/mug/item.json', (it) => Object.assign(it.variants[1], { color: 'own-lime', size: 'tiny', id: 3099 }));
    cpSync(join(folder, 'items/towel-handkerchief'), join(folder, 'items/thermos'), { recursive: true });
    edit('items/thermos/item.json', (it) => {
      Object.assign(it, { name: 'thermos', id: 999, exemplaryVariantId: 99_900 });
      it.variants.forEach((variant: { id: number; printPlaceIds: Record<string, number> }, index: number) => {
        variant.id = 99_900 + index;
        for (const place of Object.keys(variant.printPlaceIds)) variant.printPlaceIds[place] = 999_000 + index;
      });
    });
    expect((await items.load(folder)).kept).toEqual(['item thermos', 'color own-lime', 'size tiny']);
    rmSync(folder, { recursive: true });
    expect((await imported('thermos'))!.json).toEqual(before.json);
    expect(await imported('thermos')).toMatchObject({ enabled: true, version: 1 });
    const { color, size } = before.variants[0]!;
    expect((await catalog.current()).variant(3099)).toMatchObject({ color, size, enabled: true });
    expect((await items.load()).kept).toEqual([]);
  });
});

describe('ItemImportRepository.appendOutdated', () => {
  // Any type, because the events have different payloads
  const pending = () =>
    db.database.write<{ name: string; payload: any }>('delete from outbox returning name, payload', []);
  const consume = (payload: EventPayload<'item.updated'>) =>
    db.database.transaction((tx) => new ItemImportRepository(db.database).appendOutdated(tx, payload));
  it('has the images of all products rendered after a new version, in parts', async () => {
    const { item } = await items.import(bundle('busy-mug'));
    expect((await pending()).map(({ name }) => name)).toEqual(['items.changed']);
    const { id } = (await imported('busy-mug'))!.exemplaryVariant;
    await addProducts(item.id, id, { count: 450 });
    await addProducts(item.id, id, { violation: true });
    await items.import(bundle('busy-mug', (it) => (it.displayOrder = 7)));
    let events = await pending();
    expect(events.map(({ name }) => name)).toEqual(['items.changed', 'item.updated']);
    const materials: number[] = [];
    const parts: number[] = [];
    for (;;) {
      const next = events.find(({ name }) => name === 'item.updated');
      if (!next) break;
      await consume(next.payload);
      events = await pending();
      const outdated = events.filter(({ name }) => name === 'images.outdated');
      parts.push(outdated.length);
      materials.push(...outdated.map(({ payload }) => payload.materialId));
    }
    expect(parts).toEqual([200, 200, 50]);
    expect(new Set(materials).size).toBe(450);
  });

  it('appends nothing for a version that is not the last', async () => {
    const { item } = await items.import(bundle('late-mug'));
    await addProducts(item.id, (await imported('late-mug'))!.exemplaryVariant.id);
    await pending();
    await consume({ itemId: item.id, version: 0, afterMaterialId: 0 });
    expect(await pending()).toEqual([]);
  });
});

describe('ItemService.details', () => {
  it('has what the bundle of an item has', async () => {
    const imported = bundle('shown-mug', (it) => {
      it.printPlaces[0].price = 250;
      it.variants = it.variants.slice(0, 2);
      it.variants[1].price = 4_321;
      it.variants[1].enabled = false;
    });
    const { item } = await items.import(imported);
    // Any type: the contract leaves the content of an item to its schema
    const { displayName, category, angles, printPlaces, variants } = imported.item as any;
    const [{ color, size, price }] = variants;
    expect(await items.details('shown-mug')).toEqual({
      ...item,
      displayName,
      category,
      angles,
      layers: imported.layers,
      variants: [{ color, size, price }],
      printPlaces: [{ name: 'outside', price: 250, ...printPlaces[0].millimetres }],
    });
    expect((await items.retire('shown-mug')).enabled).toBe((await items.details('shown-mug')).enabled);
  });

  it('shows items that ship, and rejects others', async () => {
    expect(await items.details('mug')).toMatchObject({ version: 0, layers: null, enabled: true });
    await expect(items.details('no-such-item')).rejects.toThrow('There is no item no-such-item.');
  });
});

describe('ItemService.retire', () => {
  it('hides an item, and the next import offers its version again', async () => {
    await items.import(bundle('old-mug'));
    expect(await items.retire('old-mug')).toMatchObject({ enabled: false, version: 1 });
    expect((await catalog.current()).items.map(({ name }) => name)).not.toContain('old-mug');
    expect(await imported('old-mug')).toBeDefined();
    await db.database.query('delete from outbox');
    expect(await items.import(bundle('old-mug'))).toMatchObject({
      changed: true,
      offeredAgain: true,
      item: { enabled: true, version: 1 },
    });
    expect((await catalog.current()).items.map(({ name }) => name)).toContain('old-mug');
    expect(await db.database.query('select name from outbox')).toEqual([{ name: 'items.changed' }]);
    await items.retire('old-mug');
    const changed = bundle('old-mug', (it) => (it.displayOrder = 7));
    expect(await items.import(changed)).toMatchObject({ offeredAgain: false, item: { enabled: true, version: 2 } });
  });

  it.each(['mug', 'no-such-item'])('rejects an item that was not imported: %s', async (name) => {
    await expect(items.retire(name)).rejects.toThrow('no imported item');
    expect((await imported('mug'))?.enabled).toBe(true);
  });

  it('is listed', async () => {
    await items.import(bundle('list-mug'));
    expect((await items.imported()).map(({ name }) => name)).toContain('list-mug');
  });
});
