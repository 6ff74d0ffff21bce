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
import { renderIdOf } from './image.renderer.js';
import { imagesToPrepare, renderSpecOf } from './image.rules.js';

/** Compiled program, because only a real process can be killed. */
const program = projectPath('dist/apps/material-rendering/src/testing/worker-process.js');
const lockMs = 1_000;

const materialId = 12;
/** The next worker is ended when at least this many further images are stored. */
const imagesBetweenEnds = 6;
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
/** Enough products to end workers before the last image: three images of each item. */
const products: ImageSource['products'] = items.map((itemName) => ({
  ...mug,
  itemName,
  angles: ['front'],
  essentialAngles: ['front'],
}));

describe('images of a material whose worker ends during rendering', () => {
  const requestsUrl = testRedisUrl();
  const jobsUrl = testRedisUrl();
  const jobs = new Redis(jobsUrl, { maxRetriesPerRequest: null });
  const queueOf = (service: string) => new Queue(`events-${service}`, { connection: jobs, prefix: 'storefront' });
  const [renderJobs, activityJobs] = [queueOf('material-rendering'), queueOf('activity')];
  const catalog = new QueueServer({ service: 'catalog', redisUrl: requestsUrl });
  const workers = new Set<ChildProcess>();
  const lock = new RenderLock(
    { REDIS_REQUESTS_URL: requestsUrl } as RenderingEnv,
    createLog({ app: 'test', level: 'silent', format: 'json' }),
  );
  let db: TestDatabase;
  let folder: string;
  let programs: string;
  let blobs: FolderBlobStore;
  let source: ImageSource;

  beforeAll(async () => {
    // Bundled because seven workers are started. The bundle is in a folder that finds its packages
    // and package.json
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
    for (const message of Object.keys(services.catalog)) catalog.addHandler(message, () => Promise.resolve(source));
    await new Promise((resolve) => catalog.listen(resolve));
  });

  beforeEach(async () => {
    await blobs.deletePrefix('images');
    await Promise.all([renderJobs, activityJobs].map((queue) => queue.obliterate({ force: true })));
  });

  afterEach(async () => {
    for (const worker of workers) await end(worker, 'SIGKILL');
  });

  afterAll(async () => {
    lock.onApplicationShutdown();
    await catalog.close();
    await Promise.all([renderJobs, activityJobs].map((queue) => queue.close()));
    jobs.disconnect();
    await db.close();
    for (const created of [folder, programs]) await rm(created, { recursive: true });
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

  /** Returns the time at which each image was written. */
  const writeTimes = async (): Promise<Map<string, number>> => {
    const times = new Map<string, number>();
    for await (const key of blobs.list('images'))
      if (storedImageOf(key) !== null) times.set(key, (await blobs.stat(key))!.modifiedAt.getTime());
    return times;
  };

  /** Publishes a new material and returns the job of its event. */
  const createMaterial = async (): Promise<Job> => {
    await db.database.transaction((tx) =>
      appendEvent(tx, 'material.created', { materialId, userId: 7, title: 'Lighthouse' }),
    );
    return eventually('the job', async () => (await renderJobs.getJobs())[0]);
  };

  /**
   * Locks the next two images, as other replicas would, so that both concurrent renderings of a
   * worker wait.
   *
   * @param from number of images that the worker renders before
   * @returns a function that releases the locks
   */
  const stopAt = async (from: number): Promise<() => void> => {
    const { promise: released, resolve: release } = deferred();
    const images = imagesToPrepare(source).slice(from, from + 2);
    const locked = images.map(
      (image) =>
        new Promise<void>((resolve, reject) => {
          const work = (): Promise<void> => (resolve(), released);
          lock.tryRun(renderIdOf(imageKey(image), renderSpecOf(source, image)!), work).catch(reject);
        }),
    );
    await Promise.all(locked);
    return release;
  };

  const doneOf = async (): Promise<number> =>
    ((await renderJobs.getJobs())[0]!.progress as { done?: number }).done ?? 0;

  it.each([
    ['is killed twice', ['SIGKILL', 'SIGKILL']],
    ['is stopped three times', ['SIGTERM', 'SIGTERM', 'SIGTERM']],
  ] as const)(
    'are completed by other processes when it %s, and announced once',
    async (_how, signals) => {
      const all = imagesToPrepare(source).length;
      let release = await stopAt(imagesBetweenEnds);
      let worker = await startWorker(0);
      const { id } = await createMaterial();
      let before = new Map<string, number>();
      for (const [n, signal] of signals.entries()) {
        const stop = imagesBetweenEnds * (n + 1);
        // At least: the worker renders a locked image, too, when Redis is too slow to report the
        // lock
        await eventually('further images', async () => (await writeTimes()).size >= stop);
        // Progress continued and includes the stored images
        await eventually('progress', async () => (await doneOf()) >= stop);
        const next = await stopAt(stop + imagesBetweenEnds);
        const ended = end(worker, signal);
        // A worker that is stopped by SIGTERM finishes the images that it has started
        release();
        release = next;
        await ended;
        const now = await writeTimes();
        expect(now.size).toBeLessThan(all);
        // Stored images were not rendered again
        for (const [key, time] of before) expect([key, now.get(key)]).toEqual([key, time]);
        before = now;
        worker = await startWorker(0);
      }
      release();
      await eventually('the end', async () => (await renderJobs.getJob(id!))?.isCompleted());
      const now = await writeTimes();
      expect(now.size).toBe(all);
      for (const [key, time] of before) expect([key, now.get(key)]).toEqual([key, time]);
      await eventually('the event', async () => (await activityJobs.count()) > 0);
      const events = await activityJobs.getJobs();
      expect(events.map(({ name, data }) => [name, (data as { payload: object }).payload])).toEqual([
        ['material.rendered', { materialId, userId: 7, title: 'Lighthouse', images: all }],
      ]);
      // Each test takes 30 s when six times as many processes run as there are processors
    },
    180_000,
  );
});
