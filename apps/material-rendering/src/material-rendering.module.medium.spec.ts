import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import { readEnvironment } from '#config';
import { openQueueClients, type QueueClients, QueueServer } from '#request-queue';
import { openBlobStore } from '#storage';
import { testDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { Env } from './env.js';
import { MaterialRenderingModule } from './material-rendering.module.js';
import { testPicture } from './textures/test-pictures.js';

const log = pino({ level: 'silent' });

describe('the material-rendering service', () => {
  let db: TestDatabase;
  let folder: string;
  let environment: Record<string, string>;
  let app: INestMicroservice;
  let clients: QueueClients;

  beforeAll(async () => {
    db = await testDatabase('material-rendering');
    folder = await mkdtemp(join(tmpdir(), 'material-rendering-'));
    const redisUrl = testRedisUrl();
    environment = {
      DATABASE_URL: db.url,
      REDIS_REQUESTS_URL: redisUrl,
      REDIS_JOBS_URL: testRedisUrl(),
      BLOB_STORE_URL: pathToFileURL(folder).href,
    };
    const env = readEnvironment(Env, environment);
    const strategy = new QueueServer({ service: 'material-rendering', redisUrl });
    app = await NestFactory.createMicroservice(MaterialRenderingModule.with(env, log), { strategy, logger: false });
    await app.listen();
    clients = openQueueClients({ redisUrl, services: ['material-rendering'] });
    await clients.whenReady(5_000);
  });

  afterAll(async () => {
    await clients.close();
    await app.close();
    await db.close();
    await rm(folder, { recursive: true });
  });

  it('is healthy', async () => {
    await expect(clients['material-rendering'].call('health.check', {})).resolves.toEqual({ status: 'ok' });
  });

  it('takes a texture', async () => {
    const key = `uploads/${randomUUID()}`;
    await openBlobStore(environment.BLOB_STORE_URL!).put(
      key,
      await testPicture({ format: 'png', width: 30, height: 20 }),
    );
    const taken = await clients['material-rendering'].call('textures.take', { source: { kind: 'upload', key } });
    expect(taken).toMatchObject({ format: 'png', width: 30, height: 20, dominantRgb: '#3264c8' });
  });

  it('refuses an address inside the network unless it is allowed', async () => {
    const source = { kind: 'url', url: 'http://127.0.0.1/cat.png' } as const;
    await expect(clients['material-rendering'].call('textures.take', { source })).rejects.toMatchObject({
      kind: { code: 'texture.address-refused', status: 422 },
    });
  });

  it('says that a part is down while no catalogue answers', async () => {
    const picture = {
      width: 500,
      height: 500,
      itemName: 'mug',
      size: 'one',
      color: 'white',
      angle: null,
      materialId: 1,
      filePath: '1/1763629200-30x20.png',
      adjustment: null,
      format: 'webp',
      printed: true,
    } as const;
    await expect(clients['material-rendering'].call('pictures.render', picture)).rejects.toMatchObject({
      kind: { status: 503 },
    });
  });

  it.each(['requests', 'workers'])('starts and ends with the role %s alone', async (role) => {
    const env = readEnvironment(Env, { ...environment, RENDERING_ROLES: role });
    const context = await NestFactory.createApplicationContext(MaterialRenderingModule.with(env, log), {
      logger: false,
    });
    await context.close();
  });
});
