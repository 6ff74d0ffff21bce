import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { CategoryListResponse, ItemListResponse, ItemNames, type Language } from '#contracts';
import { Database, type Tx } from '#persistence';
import { BroadcastListener, publishBroadcast } from '#request-queue';
import { eventually, testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { ReplyValidity } from '../products/caching/reply-validity.rules.js';
import { settings } from '../testing/catalog-fixture.js';
import { ItemCache } from './item.cache.js';
import { ItemController } from './item.controller.js';
import { itemEntities } from './item.entity.js';
import { blanksFolder } from '#blanks';
import { ImportedItemQueries } from './imported-item.queries.js';
import { ItemImportRepository } from './item-import.repository.js';
import { ItemQueries } from './item.queries.js';
import { ItemRepository } from './item.repository.js';
import { ItemService } from './item.service.js';

let db: TestDatabase;
let folder: string;
let broadcasts: BroadcastListener;
let catalog: ItemCache;
let items: ItemService;

/** Returns a separate cache, as another process has it. */
const anotherCatalog = (listener: BroadcastListener) => new ItemCache(new ItemQueries(db.database), settings, listener);

/** Changes an item file of the copied folder. */
function edit(name: string, change: (item: any) => void): void {
  const file = join(folder, 'items', name, 'item.json');
  const item = JSON.parse(readFileSync(file, 'utf8'));
  change(item);
  writeFileSync(file, JSON.stringify(item));
}

const outboxEvents = async () =>
  (await db.database.query<{ name: string }>('select name from outbox order by seq')).map(({ name }) => name);

/** Returns the id and the last writing transaction of each row. */
const rowVersions = () =>
  db.database.query(
    `select 'items' as kind, id::text, xmin::text from items union all select 'variants', id::text, xmin::text from item_variants
     union all select 'places', id::text, xmin::text from print_places union all select 'colors', id::text, xmin::text from colors
     union all select 'sizes', id::text, xmin::text from sizes union all select 'categories', name, xmin::text from categories order by 1, 2`,
  );

beforeAll(async () => {
  db = await testDatabase('catalog', [...itemEntities]);
  broadcasts = new BroadcastListener({ redisUrl: testRedisUrl() });
});
afterAll(async () => {
  broadcasts.close();
  await db.close();
});

const serviceWith = (repository: ItemRepository, cache: ItemCache): ItemService =>
  new ItemService(repository, new ItemImportRepository(db.database), new ImportedItemQueries(db.database), cache);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  cpSync(blanksFolder, folder, { recursive: true });
  catalog = anotherCatalog(broadcasts);
  items = serviceWith(new ItemRepository(db.database), catalog);
  await items.load(folder);
  await db.database.query('delete from outbox');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('ItemService.load', () => {
  it('returns the numbers of rows in the files', async () => {
    expect(await items.load(folder)).toEqual({ items: 22, variants: 289, colors: 22, sizes: 20, kept: [] });
  });

  it('writes no row and appends no event the second time', async () => {
    const before = await rowVersions();
    await items.load(folder);
    expect(await rowVersions()).toEqual(before);
    expect(await outboxEvents()).toEqual([]);
  });

  it('writes only the changed row, and appends one event', async () => {
    const before = await rowVersions();
    edit('mug', (it) => (it.variants[0].price = 1500));
    await items.load(folder);
    expect(await outboxEvents()).toEqual(['items.changed']);
    const after = await rowVersions();
    expect(after.filter((row, index) => JSON.stringify(row) !== JSON.stringify(before[index]))).toEqual([
      expect.objectContaining({ kind: 'variants', id: '3001' }),
    ]);
    expect((await catalog.current()).variant(3001)).toMatchObject({ price: 1500 });
  });

  it('waits for a concurrent load, so that the later one wins', async () => {
    let isWritten = false;
    let mayCommit = false;
    /** Pauses between the last statement and COMMIT. */
    class SlowDatabase extends Database {
      override transaction<R>(work: (tx: Tx) => Promise<R>): Promise<R> {
        return super.transaction(async (tx) => {
          const result = await work(tx);
          isWritten = true;
          await eventually('permission to commit', () => mayCommit);
          return result;
        });
      }
    }
    const repository = new ItemRepository(new SlowDatabase(db.database.source));
    const slow = serviceWith(repository, anotherCatalog(broadcasts));
    edit('mug', (it) =>
      it.variants.push({ ...it.variants[3], id: 3005, color: 'green', printPlaceIds: { outside: 30051 } }),
    );
    const earlier = slow.load(folder);
    await eventually('the earlier load before its commit', () => isWritten);
    const later = items.load(blanksFolder);
    await eventually('the later load waits', async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await db.database.query(waiting)).length === 1;
    });
    mayCommit = true;
    await Promise.all([earlier, later]);
    expect((await catalog.current()).variant(3005)).toMatchObject({ enabled: false });
    expect(await outboxEvents()).toEqual(['items.changed', 'items.changed']);
  });

  it('disables a variant that is missing, and enables it when it is present again', async () => {
    edit('mug', (it) => it.variants.pop());
    await items.load(folder);
    const without = await catalog.current();
    expect(without.variant(3004)).toMatchObject({ enabled: false, itemId: 3, printPlaces: [{ id: 30041 }] });
    const { items: shown } = ItemListResponse.parse(JSON.parse(String(without.listJson)));
    expect(shown.find(({ name }) => name === 'mug')!.colorsCount).toBe(3);
    expect(await outboxEvents()).toEqual(['items.changed']);

    await items.load();
    expect((await catalog.current()).variant(3004)).toMatchObject({ enabled: true });
  });

  it('disables an item that is missing: it is found by id and not listed', async () => {
    rmSync(join(folder, 'items/mug'), { recursive: true });
    await items.load(folder);
    const { item, itemByName, items: listed, listJson, variant } = await catalog.current();
    expect(item(3)).toMatchObject({ name: 'mug', enabled: false });
    expect(itemByName('mug')).toBe(item(3));
    expect(variant(3001)).toMatchObject({ enabled: false });
    expect(listed.map(({ name }) => name)).not.toContain('mug');
    expect(listJson).not.toContain('"mug"');
  });

  it('deletes a print place that a variant no longer has', async () => {
    edit('t-shirt', (it) => delete it.variants[0].printPlaceIds.back);
    await items.load(folder);
    expect((await catalog.current()).variant(1)?.printPlaces).toEqual([
      { id: 11, place: 'front', price: 0, itemVariantId: 1 },
    ]);
  });

  it('swaps the colors of two variants', async () => {
    edit('mug', (it) => {
      [it.variants[2].color, it.variants[3].color] = [it.variants[3].color, it.variants[2].color];
    });
    await items.load(folder);
    expect((await catalog.current()).variant(3003)?.color.name).toBe('blue');
  });

  it('rejects another id for a stored combination, and writes nothing', async () => {
    const before = await rowVersions();
    edit('mug', (it) => (it.variants[3].id = 3005));
    await expect(items.load(folder)).rejects.toMatchObject({
      kind: { code: 'catalog.invalid' },
      detail: expect.stringContaining('variant id'),
    });
    expect(await rowVersions()).toEqual(before);
    expect(await outboxEvents()).toEqual([]);
  });

  it('rejects invalid files before it writes', async () => {
    const before = await rowVersions();
    edit('mug', (it) => (it.category = 'ships'));
    await expect(items.load(folder)).rejects.toMatchObject({
      errors: [{ path: 'items/mug/item.json:category', message: 'ships is not in categories.json' }],
    });
    expect(await rowVersions()).toEqual(before);
  });
});

describe('the item list', () => {
  it('matches the schema of the contract, and has an entity tag', async () => {
    const reply = await new ItemController(catalog, items, new ReplyValidity(settings)).list({});
    const { items: listed } = ItemListResponse.parse(JSON.parse(reply.body.toString()));
    expect(reply.headers.etag).toBe((await catalog.current()).etag);
    expect(listed.map(({ name }) => name).slice(0, 3)).toEqual(['t-shirt', 'long-sleeve-t-shirt', 'big-t-shirt']);
    expect(listed[0]).toMatchObject({
      id: 1,
      humanizeName: 'スタンダードTシャツ',
      defaultPrintPlace: 'front',
      availablePrintPlaces: ['front', 'back'],
      essentialAngles: ['front', 'back'],
      extraAngles: ['close-up', 'front-wearing'],
      wearingImageUrls: {
        png: 'https://shop.example.com/images/v1/wearing/t-shirt.png',
        webp: 'https://shop.example.com/images/v1/wearing/t-shirt.webp',
      },
      printPlaceForExtraAngles: { 't-shirt': { 'close-up': 'front', 'front-wearing': 'front' } },
      imageDescriptions: ['正面', '背面', 'クローズアップ', '着用'],
      isMultiPrintable: true,
      category: { name: 'clothes', displayName: 'ウェア' },
      minPriceWithTax: 2200,
      colorsCount: 16,
      iconUrls: {
        svg: 'https://shop.example.com/icons/t-shirt.svg',
        png: 'https://shop.example.com/icons/t-shirt.png',
      },
    });
    const shirtArea = { pixels: { width: 2520, height: 3360 }, millimetres: { width: 300, height: 400 } };
    expect(listed[0]?.printAreas).toEqual({ front: shirtArea, back: shirtArea });
    for (const item of listed) expect(Object.keys(item.printAreas)).toEqual(item.availablePrintPlaces);
    expect(listed[0]?.variants[0]).toEqual({
      id: 1,
      color: { id: 1, name: 'white', displayName: 'ホワイト', rgb: '#ffffff' },
      size: { id: 1, name: 's', displayName: 'S' },
      price: 2200,
      priceWithTax: 2420,
      exemplary: true,
      enabled: true,
      isLightColor: true,
      isDarkColor: false,
      printPlaces: [
        { id: 11, place: 'front', price: 0, itemVariantId: 1 },
        { id: 12, place: 'back', price: 800, itemVariantId: 1 },
      ],
    });
  });

  it('returns all names in the requested language, including disabled items', async () => {
    rmSync(join(folder, 'items/mug'), { recursive: true });
    await items.load(folder);
    catalog.invalidate();
    const namesIn = async (language: 'en' | 'ja') => {
      const reply = await new ItemController(catalog, items, new ReplyValidity(settings)).names({ language });
      return ItemNames.strict().parse(JSON.parse(reply.body.toString()));
    };
    const { items: english, colors, sizes, categories, printAreas, resizeModes } = await namesIn('en');
    expect([english.mug, colors['heather-gray'], sizes.free]).toEqual(['Mug', 'Heather Gray', 'One size']);
    expect(categories.kitchen).toBe('Kitchen');
    expect(printAreas.hoodie).toEqual([
      { place: 'Front', widthMm: 280, heightMm: 240 },
      { place: 'Back', widthMm: 300, heightMm: 400 },
    ]);
    expect([resizeModes.hoodie, resizeModes.note]).toEqual([['contain'], ['contain', 'cover']]);
    const japanese = await namesIn('ja');
    expect([japanese.colors['heather-gray'], japanese.categories.kitchen]).toEqual(['杢グレー', 'キッチン']);
    expect(japanese.printAreas.mug).toEqual([{ place: '外側', widthMm: 161, heightMm: 65.4 }]);
  });

  it('has English names on request, and Japanese ones otherwise', async () => {
    const controller = new ItemController(catalog, items, new ReplyValidity(settings));
    const listIn = async (nameLanguage?: Language) => {
      const { body, headers } = await controller.list({ nameLanguage });
      const [shirt] = ItemListResponse.parse(JSON.parse(body.toString())).items;
      const { color, size } = shirt!.variants[0]!;
      const names = [shirt!.humanizeName, shirt!.printPlaceDisplayNames.front, shirt!.category.displayName];
      return { body, etag: headers.etag, names: [...names, color.displayName, size.displayName] };
    };
    const [plain, japanese, english] = [await listIn(), await listIn('ja'), await listIn('en')];
    expect(plain).toEqual(japanese);
    expect(japanese.names).toEqual(['スタンダードTシャツ', '前面', 'ウェア', 'ホワイト', 'S']);
    expect(english.names).toEqual(['Standard T-shirt', 'Front', 'Clothes', 'White', 'S']);
    expect(english.etag).not.toBe(japanese.etag);
    const categories = (nameLanguage?: Language) => controller.categories({ nameLanguage });
    expect((await categories()).body).toEqual((await categories('ja')).body);
    expect((await categories('en')).body.toString()).toContain('"humanizeName":"Mug"');
    expect((await categories('en')).headers.etag).not.toBe((await categories('ja')).headers.etag);
    const current = await catalog.current();
    expect([current.in('en').in('ja'), current.in()]).toEqual([current, current]);
  });

  it('has one exemplary variant for each item', async () => {
    const { items: listed } = ItemListResponse.parse(JSON.parse(String((await catalog.current()).listJson)));
    expect(listed.map(({ variants }) => variants.filter(({ exemplary }) => exemplary).length)).toEqual(
      listed.map(() => 1),
    );
  });

  it('has the same JSON as items embedded in products', async () => {
    const { item, listJson } = await catalog.current();
    const { variants, category, minPriceWithTax, colorsCount, printAreas, ...embedded } = JSON.parse(String(listJson))
      .items[0];
    expect(JSON.parse(String(item(1)!.json))).toEqual(embedded);
    expect(JSON.parse(String(item(1)!.variantsJson))).toEqual(variants);
    expect(JSON.parse(String(item(1)!.exemplaryVariant.json))).toEqual(variants[0]);
    expect([category.name, minPriceWithTax, colorsCount]).toEqual(['clothes', 2200, 16]);
    expect(printAreas).toEqual(item(1)!.printAreas);
    expect(item(1)!.printing.back).toMatchObject({ technique: 'direct-to-garment', dpi: 200, bleed: 0 });
    expect(String(listJson)).not.toContain('direct-to-garment');
  });
});

describe('categories', () => {
  const listCategories = async () => {
    const { categoriesJson } = await catalog.current();
    return CategoryListResponse.strict().parse(JSON.parse(String(categoriesJson))).categories;
  };

  it('list their items in display order, with the icon of the first one', async () => {
    const all = await listCategories();
    expect(all.map(({ name }) => name)).toEqual([
      'clothes',
      'bags',
      'kitchen',
      'smartphone',
      'stationery',
      'accessories',
      'home',
      'baby',
    ]);
    const { items: listed } = ItemListResponse.parse(JSON.parse(String((await catalog.current()).listJson)));
    const ofCategory = (name: string) => listed.filter(({ category }) => category.name === name).map(({ id }) => id);
    for (const { name, items: its } of all) expect(its.map(({ id }) => id)).toEqual(ofCategory(name));
    expect(all[0]!.imageUrls).toEqual({
      svg: 'https://shop.example.com/icons/t-shirt.svg',
      png: 'https://shop.example.com/icons/t-shirt.png',
    });
  });

  it('omit disabled items, and categories without enabled ones', async () => {
    const { categoriesEtag } = await catalog.current();
    rmSync(join(folder, 'items/baby-bib'), { recursive: true });
    rmSync(join(folder, 'items/t-shirt'), { recursive: true });
    await items.load(folder);
    const all = await listCategories();
    expect(all.map(({ name }) => name)).not.toContain('baby');
    expect(all[0]!.items[0]!.name).not.toBe('t-shirt');
    expect(all[0]!.imageUrls).toEqual(all[0]!.items[0]!.iconUrls);
    expect((await catalog.current()).categoriesEtag).not.toBe(categoriesEtag);
  });
});

describe('itemsNamed', () => {
  it('finds a word in the name of an item in any language, disabled items included', async () => {
    const { itemsNamed } = await catalog.current();
    expect([itemsNamed('マグ'), itemsNamed('mug'), itemsNamed('standard')]).toEqual([[3], [3], [1]]);
    expect(itemsNamed('nothing')).toEqual([]);
    edit('mug', (it) => (it.displayName.en = 'Ｃｕｐ'));
    rmSync(join(folder, 'items/towel-handkerchief'), { recursive: true });
    await items.load(folder);
    const after = await catalog.current();
    expect(after.itemsNamed('cup')).toEqual([3]);
    expect(after.itemsNamed('handkerchief')).toHaveLength(1);
  });
});

describe('ItemCache', () => {
  const event = {
    id: crypto.randomUUID(),
    name: 'items.changed',
    version: 1,
    occurredAt: new Date().toISOString(),
    payload: {},
    metadata: {},
  } as const;

  it('loads once for concurrent callers', async () => {
    const snapshots = await Promise.all([catalog.current(), catalog.current()]);
    expect(snapshots[0]).toBe(snapshots[1]);
    expect(await catalog.current()).toBe(snapshots[0]);
  });

  it('reloads in another process when the broadcast arrives, and not before', async () => {
    const redisUrl = testRedisUrl();
    const listener = new BroadcastListener({ redisUrl });
    const redis = new Redis(redisUrl);
    const other = anotherCatalog(listener);
    try {
      other.onModuleInit();
      const subscribed = new Promise<void>((resolve) => listener.onGap(resolve));
      await other.onApplicationBootstrap();
      await subscribed;
      const before = await other.current();
      edit('mug', (it) => (it.variants[0].price = 1900));
      await items.load(folder);
      await sleep(50);
      expect(await other.current()).toBe(before);

      await publishBroadcast(redis, event);
      const after = await eventually('a new snapshot', async () => {
        const now = await other.current();
        return now !== before && now;
      });
      expect(after.variant(3001)?.price).toBe(1900);
      expect(after.etag).not.toBe(before.etag);
    } finally {
      other.onModuleDestroy();
      listener.close();
      redis.disconnect();
    }
  });

  it('reloads for a version that another process has stored, and not for one that no process has', async () => {
    const wearing = (version: number) =>
      new ItemController(catalog, items, new ReplyValidity(settings)).wearingImage({ itemName: 't-shirt', version });
    const before = await catalog.current();
    expect(await wearing(2)).toMatchObject({ angle: 'front-wearing', version: 0 });
    await db.database.query(`update items set version = 2, bundle_hash = repeat('a', 64) where name = 't-shirt'`);
    expect([await wearing(0), await catalog.current()]).toEqual([expect.objectContaining({ version: 0 }), before]);
    expect(await wearing(2)).toMatchObject({ version: 2 });
    const after = await catalog.current();
    expect(await wearing(3)).toMatchObject({ version: 2 });
    expect(await wearing(1)).toMatchObject({ version: 2 });
    expect(await catalog.current()).toBe(after);
    await db.database.query(`update items set version = 0, bundle_hash = null where name = 't-shirt'`);
  });

  it('reloads after an invalidation during a load', async () => {
    const early = catalog.current();
    catalog.invalidate();
    expect(await catalog.current()).not.toBe(await early);
  });

  it('reloads after a failed load', async () => {
    let down = true;
    const queries = new ItemQueries(db.database);
    const failingQueries = {
      wholeCatalog: () => (down ? Promise.reject(new Error('no database')) : queries.wholeCatalog()),
    };
    const cache = new ItemCache(failingQueries as ItemQueries, settings, broadcasts);
    await expect(cache.current()).rejects.toThrow('no database');
    down = false;
    expect((await cache.current()).items).toHaveLength(22);
  });
});
