import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { readEnvironment } from '#config';
import { type EventPayload, type ImageSource, problems } from '#contracts';
import { appendEvent } from '#events';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { type BlobStore, openBlobStore } from '#storage';
import { eventually, testDatabase, type TestDatabase, testRedisUrl } from '#testing';
import type { RenderingEnv } from '../env.js';
import { Env } from '../env.js';
import { MaterialRenderingModule } from '../material-rendering.module.js';
import { PurgeClient } from './purge.client.js';

interface Call {
  readonly body: unknown;
  readonly authorization: string | undefined;
  /** Images in the blob store when the hook was called. */
  readonly images: readonly string[];
}

let db: TestDatabase;
let folder: string;
let blobs: BlobStore;
let hook: Server;
let url: string;
let app: INestApplicationContext;
let calls: Call[];
/** Statuses of the next responses of the hook; then 200. */
let statuses: number[];
/** Source of each material in the catalog. */
let sources: Map<number, ImageSource>;

beforeAll(async () => {
  db = await testDatabase('material-rendering');
  folder = await mkdtemp(join(tmpdir(), 'purge-'));
  hook = createServer((request, response) => {
    void (async () => {
      const images: string[] = [];
      for (const folder of ['images', 'drawn']) for await (const key of blobs.list(folder)) images.push(key);
      calls.push({ body: await json(request), authorization: request.headers.authorization, images });
      response.writeHead(statuses.shift() ?? 200).end('x'.repeat(1_000_000));
    })();
  }).listen(0, '127.0.0.1');
  await once(hook, 'listening');
  url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/purge`;
  const env = readEnvironment(Env, {
    DATABASE_URL: db.url,
    REDIS_REQUESTS_URL: testRedisUrl(),
    REDIS_JOBS_URL: testRedisUrl(),
    BLOB_STORE_URL: pathToFileURL(folder).href,
    IMAGE_PURGE_URL: url,
    IMAGE_PURGE_SECRET: 'of-the-operator',
  });
  blobs = openBlobStore(env.BLOB_STORE_URL, env);
  app = await NestFactory.createApplicationContext(MaterialRenderingModule.with(env, pino({ level: 'silent' })), {
    logger: false,
  });
  const source = (_: string, { materialId }: { readonly materialId: number }) => {
    const found = sources.get(materialId);
    return found ? Promise.resolve(found) : Promise.reject(new DomainError(problems['material.not-found'], 'none'));
  };
  Object.assign(app.get(QueueClients).of('catalog'), { call: source });
});
afterAll(async () => {
  await app.close();
  hook.closeAllConnections();
  hook.close();
  await db.close();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  calls = [];
  statuses = [];
  sources = new Map();
});

const filePathOf = (materialId: number): string => `${materialId}/1763629200-30x20.png`;
const imageOf = (materialId: number): string =>
  `images/${filePathOf(materialId)}/mug/0/500x500/white/front.printed.webp`;
const proofOf = (materialId: number): string =>
  imageOf(materialId).replace('images/', 'drawn/').replace('.printed.', '.proof.');
const withImages = (...materials: number[]) =>
  Promise.all(
    materials.flatMap((materialId) =>
      [imageOf, proofOf].map((keyOf) => blobs.put(keyOf(materialId), Buffer.from('image'))),
    ),
  );

const updated = (materialId: number, more: Partial<EventPayload<'material.updated'>>) =>
  db.database.transaction((tx) =>
    appendEvent(tx, 'material.updated', { materialId, userId: 1, stale: [], unpublished: [], ...more }),
  );
const deleted = (materialId: number) =>
  db.database.transaction((tx) =>
    appendEvent(tx, 'material.deleted', {
      materialId,
      userId: 1,
      productIds: [1],
      filePath: filePathOf(materialId),
      textures: [],
    }),
  );

const purgeOf = (materialId: number) => ({ tags: [`material-${materialId}`], paths: [`/images/v1/*/${materialId}/*`] });
const called = (times: number) => eventually(`${times} calls of the hook`, () => calls.length >= times);

/** Returns a material that may be shown, without images to render. */
const shown = (materialId: number): ImageSource => ({
  materialId,
  filePath: filePathOf(materialId),
  textureHash: '0'.repeat(64),
  products: [],
});

describe('purge hook', () => {
  it.each([
    ['a violation', 11, (id: number) => updated(id, { stale: 'all' })],
    ['a deleted material', 12, deleted],
    [
      'an unpublished product',
      13,
      (id: number) => {
        sources.set(id, shown(id));
        return updated(id, { unpublished: ['mug'] });
      },
    ],
  ])('is called after the images and soft proofs are deleted: %s', async (_, materialId, happen) => {
    await withImages(materialId);
    await happen(materialId);
    await called(1);
    expect(calls).toEqual([
      { body: purgeOf(materialId), authorization: 'Bearer of-the-operator', images: expect.anything() },
    ]);
    for (const keyOf of [imageOf, proofOf]) expect(calls[0]!.images).not.toContain(keyOf(materialId));
  });

  it('is called for each deleted material, and not for a change that withdraws no image', async () => {
    sources.set(20, shown(20));
    await updated(20, { stale: ['mug'] });
    const materials = [21, 22, 23];
    await withImages(...materials);
    for (const materialId of materials) await deleted(materialId);
    await called(3);
    expect(calls.map(({ body }) => body)).toEqual(expect.arrayContaining(materials.map(purgeOf)));
    expect(calls).toHaveLength(3);
  });

  it('is called again until it accepts the purge', async () => {
    statuses = [500, 503];
    await deleted(31);
    await eventually('the third call', () => calls.length === 3, 30_000);
    expect(calls.map(({ body }) => body)).toEqual([purgeOf(31), purgeOf(31), purgeOf(31)]);
  });
});

const clientOf = (hook: string): PurgeClient => new PurgeClient({ IMAGE_PURGE_URL: hook } as RenderingEnv);

describe('PurgeClient', () => {
  const purge = purgeOf(1);

  it('sends no requests for a while after the hook was unavailable, then continues', async () => {
    const client = clientOf(url);
    statuses = [502];
    // A fixed clock: both calls are within the pause, even if this process is suspended
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    await expect(client.purge(purge)).rejects.toMatchObject({
      name: 'IsolatedOutage',
      message: expect.stringMatching(/502$/),
    });
    await expect(client.purge(purge)).rejects.toMatchObject({ name: 'IsolatedOutage' });
    clock.mockRestore();
    expect(calls).toHaveLength(1);
    await eventually('a purge', () =>
      client.purge(purge).then(
        () => true,
        () => false,
      ),
    );
    expect(calls.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });

  it('times out on a hook that does not respond, and throws when no server listens', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const startedAt = performance.now();
    await expect(clientOf(address).purge(purge)).rejects.toMatchObject({ name: 'IsolatedOutage' });
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
    silent.closeAllConnections();
    silent.close();
    await once(silent, 'close');
    await expect(clientOf(address).purge(purge)).rejects.toMatchObject({
      name: 'IsolatedOutage',
      message: 'IMAGE_PURGE_URL unavailable: ECONNREFUSED',
    });
  });

  it.each([301, 401, 404])(
    'throws an error that uses up an attempt when the hook rejects the purge: %d',
    async (status) => {
      statuses = [status];
      const error = await clientOf(url)
        .purge(purge)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'Error', message: `IMAGE_PURGE_URL rejected the purge: HTTP ${status}` });
    },
  );
});
