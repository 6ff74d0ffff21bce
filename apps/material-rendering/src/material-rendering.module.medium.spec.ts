import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import { readEnvironment } from '#config';
import { imageKey, type ImageRequest, type ImageSource } from '#contracts';
import { appendEvent } from '#events';
import { sharp } from '#images';
import { openQueueClients, QueueProblemFilter, QueueClients, QueueServer } from '#request-queue';
import { type BlobStore, openBlobStore } from '#storage';
import { eventually, testDatabase, testRedisUrl, type TestDatabase, TestS3 } from '#testing';
import { Env } from './env.js';
import { RenderEngine } from '#rendering/render-engine.js';
import { MaterialRenderingModule } from './material-rendering.module.js';
import { mug } from './testing/mug.js';
import { imagesToPrepare } from './images/image.rules.js';
import { keyOf } from './testing/stored-texture.js';
import { testImage } from './textures/testing/test-images.js';

const log = pino({ level: 'silent' });

interface StoreFixture {
  readonly environment: Record<string, string>;
  close(): Promise<unknown>;
}

async function openFolder(): Promise<StoreFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'material-rendering-'));
  const environment = { BLOB_STORE_URL: pathToFileURL(folder).href };
  return { environment, close: () => rm(folder, { recursive: true }) };
}

async function openBucket(): Promise<StoreFixture> {
  const s3 = await TestS3.start();
  return { environment: { BLOB_STORE_URL: s3.url, ...s3.credentials }, close: s3.close };
}

describe.each([
  ['a folder', openFolder],
  ['a bucket', openBucket],
])('material-rendering service with %s', (_, open) => {
  let db: TestDatabase;
  let store: StoreFixture;
  let blobs: BlobStore;
  let environment: Record<string, string>;
  let app: INestMicroservice;
  let clients: QueueClients;

  beforeAll(async () => {
    db = await testDatabase('material-rendering');
    store = await open();
    const redisUrl = testRedisUrl();
    environment = {
      DATABASE_URL: db.url,
      REDIS_REQUESTS_URL: redisUrl,
      REDIS_JOBS_URL: testRedisUrl(),
      RENDERED_IMAGES_MB: '1',
      ...store.environment,
    };
    const env = readEnvironment(Env, environment);
    blobs = openBlobStore(env.BLOB_STORE_URL, env);
    const strategy = new QueueServer({ service: 'material-rendering', redisUrl });
    app = await NestFactory.createMicroservice(MaterialRenderingModule.with(env, log), { strategy, logger: false });
    app.useGlobalFilters(new QueueProblemFilter(log));
    await app.listen();
    clients = await openQueueClients({ app: 'gateway', redisUrl, services: ['material-rendering'] });
  });

  afterAll(async () => {
    await clients.close();
    await app.close();
    await db.close();
    await store.close();
  });

  it('is healthy', async () => {
    await expect(clients.of('material-rendering').call('health.check', {})).resolves.toEqual({ status: 'ok' });
  });

  it('stores an uploaded texture', async () => {
    const key = `uploads/${randomUUID()}`;
    await blobs.put(key, await testImage({ format: 'png', width: 30, height: 20 }));
    const [taken] = await clients.of('material-rendering').call('textures.store', {
      userId: 1,
      sources: [{ kind: 'upload', key }],
    });
    expect(taken).toMatchObject({ format: 'png', width: 30, height: 20, dominantRgb: '#3264c8' });
  });

  it('renders a text', async () => {
    const payload = { userId: 1, text: 'Hello', rgb: '#3264c8' };
    const written = await clients.of('material-rendering').call('textures.render-text', payload);
    expect(written).toMatchObject({ format: 'png', dominantRgb: '#3264c8' });
    await expect(keyOf(db.database, written).then((key) => blobs.has(key))).resolves.toBe(true);
    await expect(
      clients.of('material-rendering').call('textures.render-text', { ...payload, text: ' ' }),
    ).rejects.toMatchObject({
      kind: { code: 'text.blank', status: 422 },
    });
  });

  it('rejects an address of the internal network unless it is allowed', async () => {
    const source = { kind: 'url', url: 'http://127.0.0.1/cat.png' } as const;
    await expect(
      clients.of('material-rendering').call('textures.store', { userId: 1, sources: [source] }),
    ).rejects.toMatchObject({
      kind: { code: 'texture.address-refused', status: 422 },
      errors: [{ path: 'sources.0', message: expect.stringContaining('not allowed') }],
    });
  });

  const image: ImageRequest = {
    width: 500,
    height: 500,
    itemName: 'mug',
    size: 'one',
    color: 'white',
    angle: 'front',
    materialId: 1,
    filePath: '1/1763629200-30x20.png',
    adjustment: null,
    format: 'webp',
    printed: true,
    proof: false,
    revision: 0,
    draft: false,
  };

  it('rejects with 503 while the catalog is down', async () => {
    await expect(clients.of('material-rendering').call('images.render', image)).rejects.toMatchObject({
      kind: { status: 503 },
    });
  });

  it('prepares the images of a new material, and deletes those of a deleted one', async () => {
    const texture = await testImage({ format: 'png', width: 300, height: 200 });
    const key = `uploads/${randomUUID()}`;
    await blobs.put(key, texture);
    const [taken] = await clients.of('material-rendering').call('textures.store', {
      userId: 1,
      sources: [{ kind: 'upload', key }],
    });
    let source: ImageSource = sourceOf(image, taken!.hash);
    // Replaces the client of the catalog, which is another service
    Object.assign(app.get(QueueClients).of('catalog'), { call: () => Promise.resolve(source) });

    // Uses the outbox of this service instead of the catalog's; both are relayed in the same way
    const { materialId, filePath } = image;
    const material = { materialId, userId: 1, title: 'Lighthouse' };
    await db.database.transaction((tx) => appendEvent(tx, 'material.created', material));
    await eventually('the consumed event', async () => (await db.database.query('select 1 from inbox')).length === 1);
    await expect(blobs.has(imageKey(image))).resolves.toBe(true);
    await expect(clients.of('material-rendering').call('images.render', image)).resolves.toEqual({
      key: imageKey(image),
    });

    source = { ...source, products: source.products.map((product) => ({ ...product, revision: 1 })) };
    const updated = { materialId, userId: 1, stale: [image.itemName], unpublished: [] };
    await db.database.transaction((tx) => appendEvent(tx, 'material.updated', updated));
    const revised = imageKey({ ...image, revision: 1 });
    await eventually('an image of the new revision', () => blobs.has(revised));
    await expect(blobs.has(imageKey(image))).resolves.toBe(false);

    const deleted = { materialId, userId: 1, productIds: [1], filePath, textures: [] };
    await db.database.transaction((tx) => appendEvent(tx, 'material.deleted', deleted));
    await eventually('no image', async () => !(await blobs.has(revised)));
  });

  it('renders the image of a worn item once, without a print', async () => {
    const worn = { angle: 'front-wearing', color: 'red', rgb: '#d71920', layers: null, version: 3 };
    let reply: typeof worn | null = worn;
    const requests: object[] = [];
    const call = (_: string, request: object) => {
      requests.push(request);
      return Promise.resolve(reply);
    };
    Object.assign(app.get(QueueClients).of('catalog'), { call });
    const render = () => {
      const request = { itemName: 't-shirt', format: 'webp', version: 4 } as const;
      return clients.of('material-rendering').call('wearing-images.render', request);
    };
    const { key, version: shown } = await render();
    // A request without a reply after two seconds is sent again
    expect([...new Set(requests.map((it) => JSON.stringify(it)))]).toEqual(['{"itemName":"t-shirt","version":4}']);
    expect(shown).toBe(3);
    const hash = app.get(RenderEngine).layersHash('t-shirt')!;
    expect(key).toBe(`blanks/t-shirt/wearing/${hash}/d71920/front-wearing.webp`);
    const { version, bytes } = (await blobs.getVersioned(key))!;
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 765, height: 765 });
    // The middle of the shirt has its color
    const { data } = await sharp(bytes)
      .extract({ left: 382, top: 382, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(data[0]! - Math.max(data[1]!, data[2]!)).toBeGreaterThan(80);
    expect(await render()).toEqual({ key, version: 3 });
    expect((await blobs.getVersioned(key))!.version).toBe(version);
    reply = null;
    await expect(render()).rejects.toMatchObject({ kind: { code: 'picture.not-found' } });
  });

  it('bounds the images rendered on request, and stores the blank item of two materials once', async () => {
    const key = `uploads/${randomUUID()}`;
    await blobs.put(key, await testImage({ format: 'png', width: 300, height: 200 }));
    const sources = [{ kind: 'upload', key } as const];
    const [taken] = await clients.of('material-rendering').call('textures.store', { userId: 1, sources });
    const both = [2, 3].map((materialId) => ({
      ...image,
      materialId,
      filePath: `${materialId}/1763629200-30x20.png`,
    }));
    const materials = both.map((it) => sourceOf(it, taken!.hash));
    const call = (_name: string, { materialId }: { materialId: number }) => Promise.resolve(materials[materialId - 2]);
    Object.assign(app.get(QueueClients).of('catalog'), { call });
    const prepared = materials.flatMap((material) => imagesToPrepare(material));
    const variants = [1024, 1530].flatMap((side) =>
      [true, false].map((printed) => ({ format: 'png' as const, width: side, height: side, printed })),
    );

    const blanks: string[] = [];
    let renderedBytes = 0;
    for (const it of [...prepared, ...both.flatMap((one) => variants.map((variant) => ({ ...one, ...variant })))]) {
      const rendered = await clients.of('material-rendering').call('images.render', it);
      if (!it.printed) blanks.push(rendered.key);
      renderedBytes += (await blobs.stat(rendered.key))?.size ?? 0;
    }
    expect(renderedBytes).toBeGreaterThan(1.5 * 1024 ** 2);
    expect([blanks.length, new Set(blanks).size]).toEqual([4, 2]);
    const preparedKeys = new Set(prepared.map(imageKey));
    const bytesOfOthers = async (): Promise<number> => {
      let bytes = 0;
      for (const folder of ['images', 'drawn', 'blanks'])
        for await (const it of blobs.listStats(folder)) if (!preparedKeys.has(it.key)) bytes += it.size;
      return bytes;
    };
    await eventually('at most 1 MiB', async () => (await bytesOfOthers()) <= 1024 ** 2);
    for (const it of preparedKeys) await expect(blobs.has(it)).resolves.toBe(true);
  });

  it.each(['requests', 'workers'])('starts and stops with only the role %s', async (role) => {
    const env = readEnvironment(Env, { ...environment, RENDERING_ROLES: role });
    const context = await NestFactory.createApplicationContext(MaterialRenderingModule.with(env, log), {
      logger: false,
    });
    await context.close();
  });
});

const sourceOf = ({ materialId, filePath }: ImageRequest, textureHash: string): ImageSource => ({
  materialId,
  filePath,
  textureHash,
  products: [{ ...mug, angles: ['front'], essentialAngles: ['front'] }],
});
