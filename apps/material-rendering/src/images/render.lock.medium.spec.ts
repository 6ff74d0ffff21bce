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
import { NotedEngine } from '../testing/noted-engine.js';
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

/** Of the blank item: no texture is needed. */
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
  revision: 0,
  draft: false,
});

const envOf = (url: string) =>
  ({ REDIS_REQUESTS_URL: url, IMAGE_SIZES: new Set(defaultImageSizes) }) as unknown as RenderingEnv;

describe('replicas that draw', () => {
  const redisUrl = testRedisUrl();
  const redis = new Redis(redisUrl);
  const opened: RenderLock[] = [];
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void logged.push((JSON.parse(line) as { msg: string }).msg) });
  let folder: string;
  let blobs: FolderBlobStore;

  const openClaims = (url: string): RenderLock => {
    const claims = new RenderLock(envOf(url), log);
    opened.push(claims);
    return claims;
  };

  /** Whether the claims are those of Redis: without it everybody holds everything. */
  const reachesRedis = async (claims: RenderLock): Promise<boolean> => {
    const nothing = () => Promise.resolve();
    let shared = true;
    await claims.hold('probe', async () => void (shared = await claims.hold('probe', nothing)));
    return !shared;
  };

  /** A process of its own, as far as drawing goes. */
  const replica = async (url = redisUrl) => {
    const claims = openClaims(url);
    if (url === redisUrl) await eventually('Redis', () => reachesRedis(claims));
    const engine = new NotedEngine();
    const catalog = { call: () => Promise.resolve(source) };
    const queries = new ImageSourceCache({ of: () => catalog } as unknown as QueueClients);
    const images = new ImageStore(blobs, { add: () => Promise.resolve() } as unknown as RenderedImageRepository);
    const drawer = new ImageRenderer(engine, {} as PrintTextureStore, images, claims);
    return { engine, claims, service: new ImageService(drawer, images, queries, envOf(url)) };
  };

  /**
   * Runs a test again that the machine disturbed: Redis did not answer for a moment, or this process stood still so long
   * that a claim ran out. Everybody draws then, as without Redis.
   */
  const undisturbed = async (test: () => Promise<void>): Promise<void> => {
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
      await blobs.deleteBelow('blanks');
      await redis.flushdb();
      logged.length = 0;
    }
  };

  /** Whoever waits for a claim that is held now waits for its end, and not until it has run out. */
  const neverRunOut = async (): Promise<void> => {
    for (const key of await redis.keys('*')) await redis.persist(key);
  };

  beforeEach(async () => {
    await redis.flushdb();
    folder = await mkdtemp(join(tmpdir(), 'claims-'));
    blobs = new FolderBlobStore(folder);
    logged.length = 0;
  });

  afterAll(() => redis.disconnect());

  afterEach(async () => {
    for (const claims of opened.splice(0)) claims.onApplicationShutdown();
    await rm(folder, { recursive: true });
  });

  it('draw an image once when a hundred clients ask both for it', () =>
    undisturbed(async () => {
      const [one, other] = [await replica(), await replica()];
      for (const angle of angles) {
        const asked = Array.from({ length: 100 }, (_, n) => (n % 2 ? one : other).service.render(request(angle)));
        const keys = new Set((await Promise.all(asked)).map(({ key }) => key));
        expect(keys).toEqual(new Set([blankKey(request(angle))]));
      }
      expect(one.engine.drawn.length + other.engine.drawn.length).toBe(angles.length);
      await expect(blobs.has(blankKey(request()))).resolves.toBe(true);
    }));

  it('draw an image once when one of them wants it in the background', () =>
    undisturbed(async () => {
      const [one, other] = [await replica(), await replica()];
      await Promise.all([one.service.prepare(request(), source), other.service.render(request())]);
      expect(one.engine.drawn.length + other.engine.drawn.length).toBe(1);
    }));

  it('do not wait for another image', () =>
    undisturbed(async () => {
      const [one, other] = [await replica(), await replica()];
      const release = one.engine.hold();
      void one.service.prepare(request('front'), source);
      await eventually('the first is being drawn', () => one.engine.drawn.length === 1);
      const waiting = other.service.prepare(request('front'), source);
      await other.service.render(request('left'));
      await other.service.render(request('right'));
      await expect(Promise.race([waiting, Promise.resolve('waits')])).resolves.toBe('waits');
      expect(other.engine.drawn.map(({ angle }) => angle)).toEqual(['left', 'right']);
      await neverRunOut();
      release();
      await waiting;
    }));

  it('draw what a process that died was drawing, as soon as its claim has run out', async () => {
    const [dead, other] = [await replica(), await replica()];
    dead.engine.hold();
    void dead.service.prepare(request(), source);
    await eventually('it is being drawn', () => dead.engine.drawn.length === 1);
    // Nobody renews it any more
    dead.claims.onApplicationShutdown();
    // Who asks is refused after 8 s
    await other.service.render(request());
    expect(other.engine.drawn).toHaveLength(1);
  });

  it('keep what they are about to draw for as long as it takes', () =>
    undisturbed(async () => {
      const [slow, other] = [await replica(), await replica()];
      const release = slow.engine.hold();
      const first = slow.service.render(request());
      await eventually('it is being drawn', () => slow.engine.drawn.length === 1);
      const second = other.service.render(request());
      setTimeout(release, 4_000);
      await Promise.all([first, second]);
      expect(other.engine.drawn).toHaveLength(0);
    }));

  it('go on as soon as an image is there, also when the holder cannot say so', () =>
    undisturbed(async () => {
      const [lost, other] = [await replica(), await replica()];
      const release = lost.engine.hold();
      const first = lost.service.render(request());
      await eventually('it is being drawn', () => lost.engine.drawn.length === 1);
      const second = other.service.render(request());
      await new Promise((resolve) => setTimeout(resolve, 100));
      lost.claims.onApplicationShutdown();
      await neverRunOut();
      release();
      await Promise.all([first, second]);
      expect(other.engine.drawn).toHaveLength(0);
    }));

  it('claim the first image after their start, and say nothing when they end', () =>
    undisturbed(async () => {
      const other = openClaims(redisUrl);
      await eventually('Redis', () => reachesRedis(other));
      let release = (): void => undefined;
      const drawn = other.hold('first', () => new Promise((resolve) => (release = resolve)));
      await eventually('it is held', async () => !(await other.hold('first', () => Promise.resolve())));
      logged.length = 0;
      const starting = openClaims(redisUrl);
      await expect(starting.hold('first', () => Promise.resolve())).resolves.toBe(false);
      other.onApplicationShutdown();
      release();
      await drawn;
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(logged).toEqual([]);
    }));

  it('draw again when the other one failed, and each says why', async () => {
    const [one, other] = [await replica(), await replica()];
    for (const { engine } of [one, other]) engine.after = () => Promise.reject(new Error('broken'));
    const outcomes = await Promise.allSettled([one, other].map(({ service }) => service.render(request())));
    expect(outcomes).toMatchObject([{ reason: { message: 'broken' } }, { reason: { message: 'broken' } }]);
    one.engine.after = () => undefined;
    await one.service.render(request());
    await expect(blobs.has(blankKey(request()))).resolves.toBe(true);
  });

  it('refuse whoever has no more time to wait, and may be asked again', () =>
    undisturbed(async () => {
      const [one, other] = [await replica(), await replica()];
      const release = one.engine.hold();
      void one.service.prepare(request(), source);
      await eventually('it is being drawn', () => one.engine.drawn.length === 1);
      const asked = runInCall({ requestId: 'soon', timeoutMs: 700 }, () => other.service.render(request()));
      await expect(asked).rejects.toMatchObject({
        kind: { code: 'service.overloaded', status: 503 },
        headers: { 'Retry-After': '1' },
      });
      release();
      await expect(other.service.render(request())).resolves.toEqual({ key: blankKey(request()) });
    }));

  it('draw all the same without Redis, and say so once', async () => {
    const [one, other] = [await replica('redis://127.0.0.1:1'), await replica('redis://127.0.0.1:1')];
    await Promise.all([one, other].flatMap(({ service }) => angles.map((angle) => service.render(request(angle)))));
    for (const angle of angles) await expect(blobs.has(blankKey(request(angle)))).resolves.toBe(true);
    expect(logged).toEqual(Array(2).fill('Redis is away: replicas may draw the same image'));
  });

  it('draw what background work needs too, when whoever asked first has no more time', async () => {
    const { engine, service } = await replica();
    const release = engine.hold();
    const background = ['jpg', 'png'] as const;
    const all = background.flatMap((format) =>
      ['front', 'left'].map((angle) => service.prepare(request(angle, format), source)),
    );
    await eventually('all places are taken', () => engine.drawn.length === 4);
    const asked = runInCall({ requestId: 'soon', timeoutMs: 700 }, () => service.render(request('right')));
    const refused = expect(asked).rejects.toMatchObject({ kind: { code: 'service.overloaded' } });
    const needed = service.prepare(request('right'), source);
    await refused;
    release();
    await Promise.all([...all, needed]);
    expect(engine.drawn).toHaveLength(5);
  });

  it('draw a large image alone', async () => {
    const { engine, service } = await replica();
    const release = engine.hold();
    const held = engine.after;
    let finished = 0;
    engine.after = () => {
      finished += 1;
      return held();
    };
    const large = { ...request('front', 'webp'), width: 1530, height: 1530 };
    const inLine = jest.spyOn(ImageRenderer.prototype, 'draw');
    const first = service.render(large);
    await eventually('the large one has its permits', () => engine.drawn.length === 1);
    const all = [first, service.render(request('left'))];
    await eventually('the other one waits', () => inLine.mock.calls.length === 2);
    inLine.mockRestore();
    await eventually('one is drawn', () => finished > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(engine.drawn).toMatchObject([{ width: 1530 }]);
    release();
    await Promise.all(all);
  });

  it('draw first what somebody asks for, also when it waits as background work', async () => {
    const { engine, service } = await replica();
    const release = engine.hold();
    const inLine = jest.spyOn(ImageRenderer.prototype, 'draw');
    const formats = ['jpg', 'webp', 'png'] as const;
    const background = angles
      .flatMap((angle) => formats.map((format) => request(angle, format)))
      .map((each) => service.prepare(each, source));
    const isTaken = () => engine.drawn.length === 4 && inLine.mock.calls.length === background.length;
    await eventually('all places are taken, and the others wait', isTaken);
    const asked = service.render(request('right', 'png'));
    await eventually('what is asked for is in the line', () => inLine.mock.calls.length > background.length);
    inLine.mockRestore();
    release();
    await Promise.all([asked, ...background]);
    expect(engine.drawn).toHaveLength(9);
    expect(engine.drawn[4]).toMatchObject({ angle: 'right', format: 'png' });
  });
});
