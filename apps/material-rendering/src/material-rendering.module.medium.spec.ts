import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import { readEnvironment } from '#config';
import { pictureKey, type PictureRequest, type PictureSource } from '#contracts';
import { appendEvent } from '#events';
import { openQueueClients, ProblemFilter, QueueClients, QueueServer } from '#request-queue';
import { type BlobStore, openBlobStore } from '#storage';
import { eventually, testDatabase, testRedisUrl, type TestDatabase, TestS3 } from '#testing';
import { Env } from './env.js';
import { MaterialRenderingModule } from './material-rendering.module.js';
import { mug } from './testing/mug.js';
import { testPicture } from './textures/test-pictures.js';

const log = pino({ level: 'silent' });

interface Place {
  readonly environment: Record<string, string>;
  close(): Promise<unknown>;
}

async function folderPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'material-rendering-'));
  const environment = { BLOB_STORE_URL: pathToFileURL(folder).href };
  return { environment, close: () => rm(folder, { recursive: true }) };
}

async function bucketPlace(): Promise<Place> {
  const s3 = await TestS3.start();
  return { environment: { BLOB_STORE_URL: s3.url, ...s3.credentials }, close: s3.close };
}

describe.each([
  ['a folder', folderPlace],
  ['a bucket', bucketPlace],
])('the material-rendering service with %s', (_, open) => {
  let db: TestDatabase;
  let place: Place;
  let blobs: BlobStore;
  let environment: Record<string, string>;
  let app: INestMicroservice;
  let clients: QueueClients;

  beforeAll(async () => {
    db = await testDatabase('material-rendering');
    place = await open();
    const redisUrl = testRedisUrl();
    environment = {
      DATABASE_URL: db.url,
      REDIS_REQUESTS_URL: redisUrl,
      REDIS_JOBS_URL: testRedisUrl(),
      ...place.environment,
    };
    const env = readEnvironment(Env, environment);
    blobs = openBlobStore(env.BLOB_STORE_URL, env);
    const strategy = new QueueServer({ service: 'material-rendering', redisUrl });
    app = await NestFactory.createMicroservice(MaterialRenderingModule.with(env, log), { strategy, logger: false });
    app.useGlobalFilters(new ProblemFilter(log));
    await app.listen();
    clients = await openQueueClients({ redisUrl, services: ['material-rendering'] });
  });

  afterAll(async () => {
    await clients.close();
    await app.close();
    await db.close();
    await place.close();
  });

  it('is healthy', async () => {
    await expect(clients['material-rendering'].call('health.check', {})).resolves.toEqual({ status: 'ok' });
  });

  it('takes a texture', async () => {
    const key = `uploads/${randomUUID()}`;
    await blobs.put(key, await testPicture({ format: 'png', width: 30, height: 20 }));
    const [taken] = await clients['material-rendering'].call('textures.take', { sources: [{ kind: 'upload', key }] });
    expect(taken).toMatchObject({ format: 'png', width: 30, height: 20, dominantRgb: '#3264c8' });
  });

  it('writes a text', async () => {
    const order = { text: 'Hello', rgb: '#3264c8' };
    const written = await clients['material-rendering'].call('textures.write', order);
    expect(written).toMatchObject({ format: 'png', dominantRgb: '#3264c8' });
    await expect(blobs.has(`textures/${written.hash}`)).resolves.toBe(true);
    await expect(clients['material-rendering'].call('textures.write', { ...order, text: ' ' })).rejects.toMatchObject({
      kind: { code: 'text.blank', status: 422 },
    });
  });

  it('refuses an address inside the network unless it is allowed', async () => {
    const source = { kind: 'url', url: 'http://127.0.0.1/cat.png' } as const;
    await expect(clients['material-rendering'].call('textures.take', { sources: [source] })).rejects.toMatchObject({
      kind: { code: 'texture.address-refused', status: 422 },
      errors: [{ path: 'sources.0', message: expect.stringContaining('not allowed') }],
    });
  });

  const picture: PictureRequest = {
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
  };

  it('says that a part is down while no catalogue answers', async () => {
    await expect(clients['material-rendering'].call('pictures.render', picture)).rejects.toMatchObject({
      kind: { status: 503 },
    });
  });

  it('prepares the pictures of a new material, and removes those of a deleted one', async () => {
    const texture = await testPicture({ format: 'png', width: 300, height: 200 });
    const key = `uploads/${randomUUID()}`;
    await blobs.put(key, texture);
    const [taken] = await clients['material-rendering'].call('textures.take', { sources: [{ kind: 'upload', key }] });
    const answer: PictureSource = sourceOf(picture, taken!.hash);
    // The catalogue is another service: its answer is put in the place of its client
    Object.defineProperty(app.get(QueueClients), 'catalog', { value: { call: () => Promise.resolve(answer) } });

    // Its own outbox in the place of the catalogue's: the way from there is the same
    const { materialId, filePath } = picture;
    const material = { materialId, userId: 1, title: 'Lighthouse' };
    await db.database.transaction((tx) => appendEvent(tx, 'material.created', material));
    await eventually('the consumed event', async () => (await db.database.query('select 1 from inbox')).length === 1);
    await expect(blobs.has(pictureKey(picture))).resolves.toBe(true);
    await expect(clients['material-rendering'].call('pictures.render', picture)).resolves.toEqual({
      key: pictureKey(picture),
    });

    await blobs.put(pictureKey(picture), Buffer.from('old'));
    const updated = { materialId, userId: 1, stale: [picture.itemName] };
    await db.database.transaction((tx) => appendEvent(tx, 'material.updated', updated));
    await eventually('a new picture', async () => ((await blobs.get(pictureKey(picture)))?.length ?? 0) > 3);

    const deleted = { materialId, userId: 1, productIds: [1], filePath };
    await db.database.transaction((tx) => appendEvent(tx, 'material.deleted', deleted));
    await eventually('no picture', async () => !(await blobs.has(pictureKey(picture))));
  });

  it.each(['requests', 'workers'])('starts and ends with the role %s alone', async (role) => {
    const env = readEnvironment(Env, { ...environment, RENDERING_ROLES: role });
    const context = await NestFactory.createApplicationContext(MaterialRenderingModule.with(env, log), {
      logger: false,
    });
    await context.close();
  });
});

const sourceOf = ({ materialId, filePath }: PictureRequest, textureHash: string): PictureSource => ({
  materialId,
  filePath,
  textureHash,
  products: [{ ...mug, angles: ['front'], essentialAngles: ['front'] }],
});
