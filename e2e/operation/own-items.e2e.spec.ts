import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { blanksFolder } from '#blanks';
import { projectPath, projectRoot } from '#config';
import { imageKey, imagePath, parseImagePath } from '#contracts';
import { eventually } from '#testing';
import { type Fleet } from '../fleet/fleet.js';
import { replicasOfEach, startFleet } from '../fleet/start-fleet.js';
import { createUsers, type FleetUser } from '../fleet/users.js';
import { artwork } from '../support/artwork.js';

let fleet: Fleet;
let user: FleetUser;
let folder: string;
let texture: string;

beforeAll(async () => {
  const replicas = { ...replicasOfEach(1), gateway: 2, catalog: 2, 'material-rendering': 2 };
  fleet = await startFleet({ replicas });
  [user] = (await createUsers(fleet, 1)) as [FleetUser];
  folder = await mkdtemp(join(tmpdir(), 'own-items-'));
  texture = await artwork(600, 400);
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true });
});

const operator = (...words: string[]) =>
  spawn(process.execPath, [projectPath('tools/operator.mjs'), ...words, '--json'], {
    cwd: projectRoot,
    env: { ...process.env, DATA_DIR: fleet.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

// Any type: responses and files are JSON, which the expectations check

/** Runs an operator command. Returns its exit code and its output, parsed. */
async function run(...words: string[]): Promise<{ status: number | null; output: any }> {
  const child = operator(...words);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { status, output: JSON.parse(stdout || stderr) };
}

/** Writes a copy of the mug as an item of its own, after a change of its `item.json`. */
async function bundleOf(name: string, change: (item: any) => void = () => undefined): Promise<string> {
  const bundle = await mkdtemp(join(folder, `${name}-`));
  await cp(`${blanksFolder}/items/mug`, bundle, { recursive: true });
  const edit = async (path: string, update: (content: any) => void): Promise<void> => {
    const content = JSON.parse(await readFile(join(bundle, path), 'utf8'));
    update(content);
    await writeFile(join(bundle, path), JSON.stringify(content));
  };
  await edit('item.json', (item) => {
    Object.assign(item, { name, displayName: { ja: name, en: name } });
    change(item);
  });
  for (const angle of await readdir(join(bundle, 'layers')))
    await edit(`layers/${angle}/layer.json`, (layer) => (layer.item = name));
  return bundle;
}

/** Sends a request to a gateway by its number. */
const request = (gateway: number, method: string, path: string, body?: object) =>
  fetch(`${fleet.baseUrls[gateway % fleet.baseUrls.length]}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${user.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

async function itemNamed(gateway: number, name: string): Promise<any> {
  const { items } = (await (await request(gateway, 'GET', '/items')).json()) as { items: any[] };
  return items.find((item) => item.name === name);
}

/** Returns an item without its ids, names and addresses: equal for an item and its copy. */
function contentOf(item: { name: string }): unknown {
  const isOwn = (key: string): boolean => /^id$|Ids?$|name$|Urls?$|UrlTemplates$/i.test(key);
  const content = JSON.stringify(item, (key, value: unknown) => (isOwn(key) ? undefined : value));
  return JSON.parse(content.replaceAll(`"${item.name}"`, '"item"'));
}

async function productOn(gateway: number, itemId: number): Promise<any> {
  const products = [{ itemId, published: true }];
  const response = await request(gateway, 'POST', '/materials', { texture, title: 'Own', products });
  const body = (await response.json()) as any;
  expect([response.status, body.errors]).toEqual([200, undefined]);
  return body.products[0];
}

async function imageOf({ sampleImageUrl }: { sampleImageUrl: string }, gateway = 0): Promise<Buffer> {
  const { pathname, search } = new URL(sampleImageUrl);
  const response = await fetch(`${fleet.baseUrls[gateway]}${pathname}${search}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Returns the file of an image that is rendered ahead of requests. */
function blobOf({ sampleImageUrl }: { sampleImageUrl: string }): string {
  const { pathname, searchParams } = new URL(sampleImageUrl);
  const image = parseImagePath(pathname.slice(imagePath.length + 1), Object.fromEntries(searchParams));
  return join(fleet.blobFolder, imageKey(image!));
}

const hashOf = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

describe('an item of the operator', () => {
  it('is offered by all processes after an import, while clients read and workers draw', async () => {
    const bundle = await bundleOf('tall-mug');
    const mug = await itemNamed(0, 'mug');
    let isOver = false;
    const problems: string[] = [];
    const drawn = { mug: 0, 'tall-mug': 0 };
    const readers = Array.from({ length: 16 }, async (_, reader) => {
      while (!isOver) {
        const response = await request(reader, 'GET', '/items');
        const item = ((await response.json()) as any).items?.find((it: any) => it.name === 'tall-mug');
        if (response.status !== 200) problems.push(`GET /items: ${response.status}`);
        if (item && !isDeepStrictEqual(contentOf(item), contentOf(mug))) problems.push('half an item');
        await sleep(20);
      }
    });
    const drawing = Array.from({ length: 2 }, async (_, worker) => {
      while (!isOver) {
        const item = (await itemNamed(worker, 'tall-mug')) ?? mug;
        await imageOf(await productOn(worker, item.id), 1 - worker);
        drawn[item.name as keyof typeof drawn]++;
      }
    });
    const { status, output } = await run('blank', 'import', bundle);
    const importedAt = performance.now();
    expect([status, output]).toMatchObject([0, { item: { name: 'tall-mug', version: 1, enabled: true } }]);
    await eventually(
      'both gateways offer the item',
      async () => (await itemNamed(0, 'tall-mug')) && itemNamed(1, 'tall-mug'),
    );
    const seconds = (performance.now() - importedAt) / 1_000;
    await eventually('both items are drawn', () => drawn.mug > 0 && drawn['tall-mug'] > 1);
    isOver = true;
    await Promise.all([...readers, ...drawing]);
    expect(problems).toEqual([]);
    expect(seconds).toBeLessThan(1);
    // Its layers are those of the mug, so are its images
    for (const gateway of [0, 1]) {
      const [own, shipped] = [await productOn(gateway, output.item.id), await productOn(gateway, mug.id)];
      expect((await imageOf(own, gateway)).equals(await imageOf(shipped, 1 - gateway))).toBe(true);
    }
    const { iconUrls } = await itemNamed(0, 'tall-mug');
    const svg = await fetch(`${fleet.baseUrls[1]}${new URL(iconUrls.svg).pathname}`);
    expect(svg.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*sandbox$/);
    const icon = await readFile(`${blanksFolder}/items/mug/icon.svg`);
    expect([svg.status, Buffer.from(await svg.arrayBuffer())]).toEqual([200, icon]);
    expect((await fetch(`${fleet.baseUrls[0]}${new URL(iconUrls.png).pathname}`)).status).toBe(200);
  });

  it('is not changed by the same bundle; a new version keeps its id and changes its images', async () => {
    const first = await run('blank', 'import', await bundleOf('wide-mug'));
    const product = await productOn(0, first.output.item.id);
    expect((await run('blank', 'import', await bundleOf('wide-mug'))).output.item).toMatchObject({ version: 1 });
    const before = await imageOf(product);
    const shiny = await bundleOf('wide-mug');
    for (const angle of await readdir(join(shiny, 'layers'))) {
      const layers = join(shiny, 'layers', angle);
      const files = await readdir(layers);
      if (files.includes('mask.png')) await cp(join(layers, 'mask.png'), join(layers, 'gloss.webp'));
    }
    const { output } = await run('blank', 'import', shiny);
    expect(output.item).toEqual({ ...first.output.item, version: 2, products: 1 });
    const { product: after } = (await (await request(1, 'GET', `/products/${product.id}`)).json()) as any;
    expect(after.sampleImageUrl).not.toBe(product.sampleImageUrl);
    // Without a request
    await eventually('the image of the new version is stored', () => existsSync(blobOf(after)));
    expect((await imageOf(after)).equals(before)).toBe(false);
  });

  it('is imported as a whole or not at all when the command is killed', async () => {
    const database = new pg.Client(fleet.servers.postgres.url);
    await database.connect();
    const count = async (sql: string, ...values: string[]) => (await database.query(sql, values)).rowCount;
    const points: Record<string, (bundle: string, name: string) => unknown> = {
      icon: async (bundle) =>
        existsSync(join(fleet.blobFolder, 'icons', `${await hashOf(join(bundle, 'icon.svg'))}.svg`)),
      layers: async () => (await readdir(join(fleet.blobFolder, 'layers'))).length > layersBefore,
      waiting: () => count(`select from pg_locks where locktype = 'advisory' and not granted`),
      committed: (_, name) => count('select from catalog.items where name = $1', name),
    };
    let layersBefore = 0;
    for (const [point, isReached] of Object.entries(points)) {
      const name = `sudden-mug-${point}`;
      const bundle = await bundleOf(name);
      const icon = join(bundle, 'icon.svg');
      await writeFile(icon, (await readFile(icon, 'utf8')).replace('</svg>', `<g id="${point}"/></svg>`));
      layersBefore = (await readdir(join(fleet.blobFolder, 'layers'))).length;
      if (point === 'waiting') await database.query(`select pg_advisory_lock(hashtext('catalog.items.load'))`);
      const child = operator('blank', 'import', bundle);
      const ended = once(child, 'close');
      while (!(await isReached(bundle, name))) await sleep(1);
      child.kill('SIGKILL');
      await ended;
      await database.query('select pg_advisory_unlock_all()');
      const item = await itemNamed(0, name);
      if (item) await imageOf(await productOn(0, item.id));
      const { output } = await run('blank', 'import', bundle);
      expect(output.item).toMatchObject({ name, version: 1, enabled: true });
    }
    await database.end();
  });

  it('is imported as a whole or not at all when all catalogs are killed', async () => {
    const bundle = await bundleOf('lost-mug');
    const database = new pg.Client(fleet.servers.postgres.url);
    await database.connect();
    await database.query(`select pg_advisory_lock(hashtext('catalog.items.load'))`);
    const isWaiting = async () =>
      (await database.query(`select from pg_locks where locktype = 'advisory' and not granted`)).rowCount;
    const importing = run('blank', 'import', bundle);
    await eventually('the transaction has begun', isWaiting);
    const catalogs = fleet.processes.filter(({ group }) => group === 'catalog');
    await Promise.all(catalogs.map((catalog) => catalog.end('SIGKILL')));
    await database.end();
    await Promise.all(catalogs.map((catalog) => catalog.ready()));
    await importing;
    const item = await itemNamed(0, 'lost-mug');
    if (item) expect(contentOf(item)).toEqual(contentOf(await itemNamed(1, 'mug')));
    const { output } = await run('blank', 'import', bundle);
    expect(output.item).toMatchObject({ name: 'lost-mug', version: 1, enabled: true });
    await imageOf(await productOn(0, output.item.id));
  });

  it('is rejected by its mistakes, and nothing is stored', async () => {
    const bundle = await bundleOf('bad-mug', (item) => {
      item.variants[0].price = -1;
    });
    const stored = await readdir(join(fleet.blobFolder, 'layers'));
    const { status, output } = await run('blank', 'import', bundle);
    expect(await readdir(join(fleet.blobFolder, 'layers'))).toEqual(stored);
    expect(status).toBe(1);
    expect(output.errors).toEqual([{ path: 'item.json:variants.0.price', message: 'must be 0 or more' }]);
    expect(await itemNamed(0, 'bad-mug')).toBeUndefined();
  });

  it('is hidden from new products when it is retired, and keeps existing ones', async () => {
    const { output } = await run('blank', 'import', await bundleOf('old-mug'));
    const product = await productOn(0, output.item.id);
    expect((await run('blank', 'retire', 'old-mug')).output.item).toMatchObject({ enabled: false, products: 1 });
    for (const gateway of [0, 1])
      await eventually('the item is hidden', async () => (await itemNamed(gateway, 'old-mug')) === undefined);
    const products = [{ itemId: output.item.id }];
    expect((await request(0, 'POST', '/materials', { texture, title: 'Late', products })).status).toBe(422);
    expect((await request(1, 'GET', `/products/${product.id}`)).status).toBe(200);
    await imageOf(product);
    const { output: list } = await run('blank', 'list');
    expect(list.items).toContainEqual({ ...output.item, enabled: false, products: 1 });
  });
});
