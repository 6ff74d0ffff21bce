import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { blankKey, defaultImageSizes, type ImageRequest, type ImageSource } from '#contracts';
import { type QueueClients, runInCall } from '#request-queue';
import { FolderBlobStore } from '#storage';
import { eventually, testRedisUrl } from '#testing';
import type { RenderingEnv } from '../env.js';
import { mug } from '../testing/mug.js';
import { RecordingEngine } from '../testing/recording-engine.js';
import type { PrintTextureStore } from '../textures/print-texture.store.js';
import { RenderLock } from './render.lock.js';
import type { RenderedImageRepository } from './rendered-image.repository.js';
import { ImageRenderer } from './image.renderer.js';
import { ImageSourceCache } from './image-source.cache.js';
import { ImageService } from './image.service.js';
import { ImageStore } from './image.store.js';

const materialId = 12;
const filePath = `${materialId}/1763629200-200x200.png`;
const source: ImageSource = { materialId, filePath, textureHash: '0'.repeat(64), products: [mug] };
const { angles } = mug;

/** Returns a request for a blank item, which needs no texture. */
const request = (angle = 'front', format: ImageRequest['format'] = 'jpg'): ImageRequest => ({
  width: 323,
  height: 323,
  itemName: 'mug',
  size: 'one',
  color: 'white',
  angle,
  materialId,
  filePath,
  adjustment: null,
  format,
  printed: false,
  proof: false,
  revision: 0,
  draft: false,
});

const envOf = (url: string) =>
  ({ REDIS_REQUESTS_URL: url, IMAGE_SIZES: new Set(defaultImageSizes) }) as unknown as RenderingEnv;

describe('render lock of two replicas', () => {
  const redisUrl = testRedisUrl();
  const redis = new Redis(redisUrl);
  const opened: RenderLock[] = [];
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) });
  let folder: string;
  let blobs: FolderBlobStore;

  const openLock = (url: string): RenderLock => {
    const lock = new RenderLock(envOf(url), log);
    opened.push(lock);
    return lock;
  };

  /** Returns whether Redis provides the lock. Without Redis every call acquires it. */
  const reachesRedis = async (lock: RenderLock): Promise<boolean> => {
    const nothing = () => Promise.resolve();
    let shared = true;
    await lock.tryRun('probe', async () => void (shared = await lock.tryRun('probe', nothing)));
    return !shared;
  };

  /** Returns the rendering part of a separate process. */
  const replica = async (url = redisUrl) => {
    const lock = openLock(url);
    if (url === redisUrl) await eventually('Redis', () => reachesRedis(lock));
    const engine = new RecordingEngine();
    const catalog = { call: () => Promise.resolve(source) };
    const sources = new ImageSourceCache({ of: () => catalog } as unknown as QueueClients);
    const images = new ImageStore(blobs, { add: () => Promise.resolve() } as unknown as RenderedImageRepository);
    const renderer = new ImageRenderer(engine, {} as PrintTextureStore, images, lock);
    return { engine, lock, service: new ImageService(renderer, images, sources, envOf(url)) };
  };

  /**
   * Repeats a test that a slow machine has disturbed: Redis exceeded its timeout, or this process
   * was suspended until the lease expired. Then all replicas render, as without Redis.
   */
  const retryIfDisturbed = async (test: () => Promise<void>): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      let [last, longest] = [performance.now(), 0];
      const tick = (): void => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      };
      const ticks = setInterval(tick, 50);
      try {
        await test();
        return;
      } catch (error) {
        tick();
        if (attempt === 5 || (longest < 1_000 && logged.length === 0)) throw error;
      } finally {
        clearInterval(ticks);
      }
      await blobs.deletePrefix('blanks');
      await redis.flushdb();
      logged.length = 0;
    }
  };

  /** Removes the expiry of current locks, so that waiting processes wait for their release. */
  const disableExpiry = async (): Promise<void> => {
    for (const key of await redis.keys('*')) await redis.persist(key);
  };

  beforeEach(async () => {
    await redis.flushdb();
    folder = await mkdtemp(join(tmpdir(), 'render-lock-'));
    blobs = new FolderBlobStore(folder);
    logged.length = 0;
  });

  afterAll(() => redis.disconnect());

  afterEach(async () => {
    for (const lock of opened.splice(0)) lock.onApplicationShutdown();
    await rm(folder, { recursive: true });
  });

  it('renders an image once for a hundred requests to both replicas', () =>
    retryIfDisturbed(async () => {
      const [one, other] = [await replica(), await replica()];
      for (const angle of angles) {
        const requests = Array.from({ length: 100 }, (_, n) => (n % 2 ? one : other).service.render(request(angle)));
        const keys = new Set((await Promise.all(requests)).map(({ key }) => key));
        expect(keys).toEqual(new Set([blankKey(request(angle))]));
      }
      expect(one.engine.requests.length + other.engine.requests.length).toBe(angles.length);
      await expect(blobs.has(blankKey(request()))).resolves.toBe(true);
    }));

  it('renders an image once for a request and background work', () =>
    retryIfDisturbed(async () => {
      const [one, other] = [await replica(), await replica()];
      await Promise.all([one.service.prepare(request(), source), other.service.render(request())]);
      expect(one.engine.requests.length + other.engine.requests.length).toBe(1);
    }));

  it('does not delay other images', () =>
    retryIfDisturbed(async () => {
      const [one, other] = [await replica(), await replica()];
      const release = one.engine.block();
      void one.service.prepare(request('front'), source);
      await eventually('the start of the first rendering', () => one.engine.requests.length === 1);
      const waiting = other.service.prepare(request('front'), source);
      await other.service.render(request('left'));
      await other.service.render(request('right'));
      await expect(Promise.race([waiting, Promise.resolve('waits')])).resolves.toBe('waits');
      expect(other.engine.requests.map(({ angle }) => angle)).toEqual(['left', 'right']);
      await disableExpiry();
      release();
      await waiting;
    }));

  it('lets another replica render the image of a process that died, after the lease expires', async () => {
    const [dead, other] = [await replica(), await replica()];
    dead.engine.block();
    void dead.service.prepare(request(), source);
    await eventually('the start of the rendering', () => dead.engine.requests.length === 1);
    // Stops the renewal of the lease
    dead.lock.onApplicationShutdown();
    // Within the timeout of 8 s
    await other.service.render(request());
    expect(other.engine.requests).toHaveLength(1);
  });

  it('is renewed as long as the rendering takes', () =>
    retryIfDisturbed(async () => {
      const [slow, other] = [await replica(), await replica()];
      const release = slow.engine.block();
      const first = slow.service.render(request());
      await eventually('the start of the rendering', () => slow.engine.requests.length === 1);
      const second = other.service.render(request());
      setTimeout(release, 4_000);
      await Promise.all([first, second]);
      expect(other.engine.requests).toHaveLength(0);
    }));

  it('is not awaited after the image is stored, even if the holder cannot release it', () =>
    retryIfDisturbed(async () => {
      const [disconnected, other] = [await replica(), await replica()];
      const release = disconnected.engine.block();
      const first = disconnected.service.render(request());
      await eventually('the start of the rendering', () => disconnected.engine.requests.length === 1);
      const second = other.service.render(request());
      await new Promise((resolve) => setTimeout(resolve, 100));
      disconnected.lock.onApplicationShutdown();
      await disableExpiry();
      release();
      await Promise.all([first, second]);
      expect(other.engine.requests).toHaveLength(0);
    }));

  it('works for the first image after the start, and logs nothing at shutdown', () =>
    retryIfDisturbed(async () => {
      const other = openLock(redisUrl);
      await eventually('Redis', () => reachesRedis(other));
      let release = (): void => undefined;
      const running = other.tryRun('first', () => new Promise((resolve) => (release = resolve)));
      await eventually('the lock', async () => !(await other.tryRun('first', () => Promise.resolve())));
      logged.length = 0;
      const starting = openLock(redisUrl);
      await expect(starting.tryRun('first', () => Promise.resolve())).resolves.toBe(false);
      other.onApplicationShutdown();
      release();
      await running;
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(logged).toEqual([]);
    }));

  it('lets the other replica render after a failure, and both report the error', async () => {
    const [one, other] = [await replica(), await replica()];
    for (const { engine } of [one, other]) engine.after = () => Promise.reject(new Error('broken'));
    const outcomes = await Promise.allSettled([one, other].map(({ service }) => service.render(request())));
    expect(outcomes).toMatchObject([{ reason: { message: 'broken' } }, { reason: { message: 'broken' } }]);
    one.engine.after = () => undefined;
    await one.service.render(request());
    await expect(blobs.has(blankKey(request()))).resolves.toBe(true);
  });

  it('rejects a request that has no more time to wait, and a retry succeeds', () =>
    retryIfDisturbed(async () => {
      const [one, other] = [await replica(), await replica()];
      const release = one.engine.block();
      void one.service.prepare(request(), source);
      await eventually('the start of the rendering', () => one.engine.requests.length === 1);
      const result = runInCall({ requestId: 'soon', timeoutMs: 700 }, () => other.service.render(request()));
      await expect(result).rejects.toMatchObject({
        kind: { code: 'service.overloaded', status: 503 },
        headers: { 'Retry-After': '1' },
      });
      release();
      await expect(other.service.render(request())).resolves.toEqual({ key: blankKey(request()) });
    }));

  it('lets both replicas render without Redis, and logs that once', async () => {
    const [one, other] = [await replica('redis://127.0.0.1:1'), await replica('redis://127.0.0.1:1')];
    await Promise.all([one, other].flatMap(({ service }) => angles.map((angle) => service.render(request(angle)))));
    for (const angle of angles) await expect(blobs.has(blankKey(request(angle)))).resolves.toBe(true);
    expect(logged).toEqual(Array(2).fill('Redis unavailable: replicas may render the same image'));
  });

  it('does not cancel a rendering that background work needs when its first caller times out', async () => {
    const { engine, service } = await replica();
    const release = engine.block();
    const background = ['jpg', 'png'] as const;
    const all = background.flatMap((format) =>
      ['front', 'left'].map((angle) => service.prepare(request(angle, format), source)),
    );
    await eventually('all permits in use', () => engine.requests.length === 4);
    const result = runInCall({ requestId: 'soon', timeoutMs: 700 }, () => service.render(request('right')));
    const rejection = expect(result).rejects.toMatchObject({ kind: { code: 'service.overloaded' } });
    const needed = service.prepare(request('right'), source);
    await rejection;
    release();
    await Promise.all([...all, needed]);
    expect(engine.requests).toHaveLength(5);
  });

  it('renders a large image alone', async () => {
    const { engine, service } = await replica();
    const release = engine.block();
    const released = engine.after;
    let finished = 0;
    engine.after = () => {
      finished += 1;
      return released();
    };
    const large = { ...request('front', 'webp'), width: 1530, height: 1530 };
    const renderSpy = jest.spyOn(ImageRenderer.prototype, 'render');
    const first = service.render(large);
    await eventually('the start of the large image', () => engine.requests.length === 1);
    const all = [first, service.render(request('left'))];
    await eventually('the other one in the queue', () => renderSpy.mock.calls.length === 2);
    renderSpy.mockRestore();
    await eventually('the first rendered image', () => finished > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(engine.requests).toMatchObject([{ width: 1530 }]);
    release();
    await Promise.all(all);
  });

  it('gives priority to a requested image, even if it already waits as background work', async () => {
    const { engine, service } = await replica();
    const release = engine.block();
    const renderSpy = jest.spyOn(ImageRenderer.prototype, 'render');
    const formats = ['jpg', 'webp', 'png'] as const;
    const background = angles
      .flatMap((angle) => formats.map((format) => request(angle, format)))
      .map((each) => service.prepare(each, source));
    const isQueued = () => engine.requests.length === 4 && renderSpy.mock.calls.length === background.length;
    await eventually('all permits in use, and the others in the queue', isQueued);
    const requested = service.render(request('right', 'png'));
    await eventually('the requested image in the queue', () => renderSpy.mock.calls.length > background.length);
    renderSpy.mockRestore();
    release();
    await Promise.all([requested, ...background]);
    expect(engine.requests).toHaveLength(9);
    expect(engine.requests[4]).toMatchObject({ angle: 'right', format: 'png' });
  });
});
