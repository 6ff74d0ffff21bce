import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { deferred } from '#concurrency';
import { projectPath } from '#config';
import { imageKey, type ImageSource, services, storedImageOf } from '#contracts';
import { appendEvent } from '#events';
import { createLog } from '#observability';
import { QueueServer } from '#request-queue';
import { FolderBlobStore } from '#storage';
import { eventually, testDatabase, type TestDatabase, testRedisUrl } from '#testing';
import type { RenderingEnv } from '../env.js';
import { bundle } from '../../../../tools/bundle.mjs';
import { TextureEntity } from '../textures/texture.entity.js';
import { addTexture } from '../testing/stored-texture.js';
import { testImage } from '../textures/testing/test-images.js';
import { mug } from '../testing/mug.js';
import { RenderLock } from './render.lock.js';
import { idOf } from './image.renderer.js';
import { drawingOf, imagesToPrepare } from './image.rules.js';

/** The compiled program: a process that is killed must be a real one. */
const program = projectPath('dist/apps/material-rendering/src/testing/worker-process.js');
const lockMs = 1_000;

const materialId = 12;
/** How many images a worker draws before it is ended. */
const drawnByEach = 6;
const items = [
  'bandana',
  'big-t-shirt',
  'clear-file',
  'cushion',
  'hoodie',
  'mug',
  'note',
  'sticker',
  'sweat',
  't-shirt',
];
/** Enough to be ended in the middle: three images of each item. */
const products: ImageSource['products'] = items.map((itemName) => ({
  ...mug,
  itemName,
  angles: ['front'],
  essentialAngles: ['front'],
}));

describe('the images of a material whose worker ends in the middle', () => {
  const requestsUrl = testRedisUrl();
  const jobsUrl = testRedisUrl();
  const jobs = new Redis(jobsUrl, { maxRetriesPerRequest: null });
  const queueOf = (service: string) => new Queue(`events-${service}`, { connection: jobs, prefix: 'storefront' });
  const [taken, told] = [queueOf('material-rendering'), queueOf('activity')];
  const catalogue = new QueueServer({ service: 'catalog', redisUrl: requestsUrl });
  const workers = new Set<ChildProcess>();
  const claims = new RenderLock(
    { REDIS_REQUESTS_URL: requestsUrl } as RenderingEnv,
    createLog({ app: 'test', level: 'silent', format: 'json' }),
  );
  let db: TestDatabase;
  let folder: string;
  let programs: string;
  let blobs: FolderBlobStore;
  let source: ImageSource;

  beforeAll(async () => {
    // Seven workers are started. The bundle lies where its packages and package.json are found
    programs = await mkdtemp(projectPath('dist', 'worker-'));
    await bundle({ worker: program }, programs);
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'ended-worker-'));
    blobs = new FolderBlobStore(folder);
    const texture = await testImage({ format: 'png', width: 300, height: 200 });
    const textureHash = createHash('sha256').update(texture).digest('hex');
    await blobs.put(`textures/${textureHash}`, texture);
    const facts = { format: 'png', width: 300, height: 200, bytes: texture.length, dominantRgb: null } as const;
    await addTexture(db.database, { hash: textureHash, ...facts });
    source = { materialId, filePath: `${materialId}/1763629200-300x200.png`, textureHash, products };
    for (const message of Object.keys(services.catalog)) catalogue.addHandler(message, () => Promise.resolve(source));
    await new Promise((resolve) => catalogue.listen(resolve));
  });

  beforeEach(async () => {
    await blobs.deleteBelow('images');
    await Promise.all([taken, told].map((queue) => queue.obliterate({ force: true })));
  });

  afterEach(async () => {
    for (const worker of workers) await end(worker, 'SIGKILL');
  });

  afterAll(async () => {
    claims.onApplicationShutdown();
    await catalogue.close();
    await Promise.all([taken, told].map((queue) => queue.close()));
    jobs.disconnect();
    await db.close();
    for (const made of [folder, programs]) await rm(made, { recursive: true });
  });

  const startWorker = async (drainMs = 10_000): Promise<ChildProcess> => {
    const worker = fork(join(programs, 'worker.js'), [String(lockMs)], {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        DATABASE_URL: db.url,
        REDIS_REQUESTS_URL: requestsUrl,
        REDIS_JOBS_URL: jobsUrl,
        BLOB_STORE_URL: pathToFileURL(folder).href,
        RENDERING_ROLES: 'workers',
        DRAIN_MS: String(drainMs),
        LOG_LEVEL: 'warn',
      },
    });
    workers.add(worker);
    await once(worker, 'message');
    return worker;
  };

  const end = async (worker: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    workers.delete(worker);
    const exited = once(worker, 'exit');
    worker.kill(signal);
    await exited;
  };

  /** When each image was written. */
  const written = async (): Promise<Map<string, number>> => {
    const times = new Map<string, number>();
    for await (const key of blobs.below('images'))
      if (storedImageOf(key) !== null) times.set(key, (await blobs.facts(key))!.modifiedAt.getTime());
    return times;
  };

  /** @returns the job of the event that the material was made */
  const makeMaterial = async (): Promise<Job> => {
    await db.database.transaction((tx) =>
      appendEvent(tx, 'material.created', { materialId, userId: 7, title: 'Lighthouse' }),
    );
    return eventually('the job', async () => (await taken.getJobs())[0]);
  };

  /**
   * As if other replicas drew the next images that both drawers of a worker come to: it stands still there.
   *
   * @param from how many images it draws before
   * @returns what ends it
   */
  const stopAt = async (from: number): Promise<() => void> => {
    const { promise: released, resolve: release } = deferred();
    const images = imagesToPrepare(source).slice(from, from + 2);
    const held = images.map(
      (image) =>
        new Promise<void>((resolve, reject) => {
          const work = (): Promise<void> => (resolve(), released);
          claims.hold(idOf(imageKey(image), drawingOf(source, image)!), work).catch(reject);
        }),
    );
    await Promise.all(held);
    return release;
  };

  const doneOf = async (): Promise<number> => ((await taken.getJobs())[0]!.progress as { done?: number }).done ?? 0;

  it.each([
    ['is killed, twice', ['SIGKILL', 'SIGKILL']],
    ['is stopped often', ['SIGTERM', 'SIGTERM', 'SIGTERM']],
  ] as const)(
    'go on in another process when it %s, and are said to be there once',
    async (_how, signals) => {
      const all = imagesToPrepare(source).length;
      let release = await stopAt(drawnByEach);
      let worker = await startWorker(0);
      const { id } = await makeMaterial();
      let before = new Map<string, number>();
      for (const [n, signal] of signals.entries()) {
        const stop = drawnByEach * (n + 1);
        // It may draw on where Redis is too slow to say that somebody else does
        await eventually('further images', async () => (await written()).size >= stop);
        // Progress did not begin anew, and tells what is there
        await eventually('progress', async () => (await doneOf()) >= stop);
        const next = await stopAt(stop + drawnByEach);
        const ended = end(worker, signal);
        // Whoever is asked to stop finishes the images that it has begun
        release();
        release = next;
        await ended;
        const now = await written();
        expect(now.size).toBeLessThan(all);
        // What was there was not drawn again
        for (const [key, time] of before) expect([key, now.get(key)]).toEqual([key, time]);
        before = now;
        worker = await startWorker(0);
      }
      release();
      await eventually('the end', async () => (await taken.getJob(id!))?.isCompleted());
      const now = await written();
      expect(now.size).toBe(all);
      for (const [key, time] of before) expect([key, now.get(key)]).toEqual([key, time]);
      await eventually('the event', async () => (await told.count()) > 0);
      const events = await told.getJobs();
      expect(events.map(({ name, data }) => [name, (data as { payload: object }).payload])).toEqual([
        ['material.rendered', { materialId, userId: 7, title: 'Lighthouse', images: all }],
      ]);
      // 30 s each where six times as much runs as there are processors
    },
    180_000,
  );
});
