import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import { type PrintOrder } from '#contracts';
import { appendEvent } from '#events';
import { placeArtwork } from '#placement';
import { FolderBlobStore } from '#storage';
import { eventually, testDatabase, type TestDatabase, testRedisUrl } from '#testing';
import { bundle } from '../../../../tools/bundle.mjs';
import { addTexture } from '../testing/stored-texture.js';
import { testImage } from '../textures/testing/test-images.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { ProductionQueries } from './production.queries.js';

/** Compiled program, because only a real process can be killed. */
const program = projectPath('dist/apps/material-rendering/src/testing/worker-process.js');
const lockMs = 1_000;
const places = ['front', 'back', 'left', 'right'];
const area = { width: 250, height: 250 };
const artwork = { width: 300, height: 200 };

describe('a production whose worker is killed', () => {
  const [requestsUrl, jobsUrl] = [testRedisUrl(), testRedisUrl()];
  const workers = new Set<ChildProcess>();
  let db: TestDatabase;
  let folder: string;
  let programs: string;
  let blobs: FolderBlobStore;
  let queries: ProductionQueries;
  let order: PrintOrder;
  let purchaseId = 0;

  beforeAll(async () => {
    programs = await mkdtemp(projectPath('dist', 'worker-'));
    await bundle({ worker: program }, programs);
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'killed-worker-'));
    blobs = new FolderBlobStore(folder);
    queries = new ProductionQueries(db.database);
    const image = await testImage({ format: 'png', ...artwork, color: '#be1e2d' });
    const textureHash = createHash('sha256').update(image).digest('hex');
    await blobs.put(`textures/${textureHash}`, image);
    const facts = { format: 'png', ...artwork, bytes: image.length, dominantRgb: null } as const;
    await addTexture(db.database, { hash: textureHash, ...facts });
    const { matrix, repeat, period } = placeArtwork({ artwork, area, mode: 'contain' });
    const printing = {
      technique: 'offset',
      dpi: 150,
      bleed: 3,
      safeZone: 3,
      colorSpace: 'cmyk',
      whiteUnderbase: 'none',
      mirror: false,
    } as const;
    order = {
      userId: 3,
      productId: 7,
      materialId: 12,
      title: 'Lighthouse postcard',
      changedAt: '2026-11-20T09:00:00.000Z',
      item: 'postcard',
      variant: { id: 11, size: 'one', color: 'white', rgb: '#ffffff', isDark: false },
      places: places.map((place) => ({
        place,
        format: 'tiff',
        textureHash,
        placed: { matrix, repeat, period },
        area,
        printing,
      })),
      warnings: [],
    };
  });
  afterEach(async () => {
    for (const worker of workers) await kill(worker);
  });
  afterAll(async () => {
    await db.close();
    for (const created of [folder, programs]) await rm(created, { recursive: true });
  });

  const startWorker = async (): Promise<ChildProcess> => {
    const worker = fork(join(programs, 'worker.js'), [String(lockMs)], {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        DATABASE_URL: db.url,
        REDIS_REQUESTS_URL: requestsUrl,
        REDIS_JOBS_URL: jobsUrl,
        BLOB_STORE_URL: pathToFileURL(folder).href,
        RENDERING_ROLES: 'workers',
        LOG_LEVEL: 'error',
      },
    });
    workers.add(worker);
    await once(worker, 'message');
    return worker;
  };

  const kill = async (worker: ChildProcess): Promise<void> => {
    workers.delete(worker);
    const exited = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exited;
  };

  const namesIn = (key: string): Promise<string[]> => readdir(join(folder, key)).catch(() => []);
  const drawnFiles = async (): Promise<number> => {
    const folders = await namesIn('print-files');
    return (await Promise.all(folders.map((name) => namesIn(`print-files/${name}`)))).flat().length;
  };
  const hashesOf = async (names: readonly string[]): Promise<string[]> => {
    const blobsOf = await Promise.all(names.map((name) => blobs.get(`production/A-${purchaseId}/${name}`)));
    return blobsOf.map((blob) => createHash('sha256').update(blob!).digest('hex'));
  };

  /** Returns the files that the ticket names, which must be complete; null without a ticket. */
  const completeFiles = async (): Promise<string[] | null> => {
    const ticket = await blobs.get(`production/A-${purchaseId}/ticket.json`);
    if (!ticket) return null;
    const { files } = JSON.parse(ticket.toString()) as { files: { name: string; sha256: string }[] };
    expect(await hashesOf(files.map(({ name }) => name))).toEqual(files.map(({ sha256 }) => sha256));
    return files.map(({ name }) => name);
  };

  it.each([
    ['draws a file', async () => (await namesIn('.partial')).length > 0],
    ['has drawn a file', async () => (await drawnFiles()) > 1],
    ['copies the first file', () => existsSync(join(folder, `production/A-${purchaseId}`))],
    ['has copied three files', async () => (await namesIn(`production/A-${purchaseId}`)).length >= 3],
    ['has written the ticket', () => existsSync(join(folder, `production/A-${purchaseId}/ticket.json`))],
  ])(
    'when it %s has a ticket with all files or none, and is completed by another process',
    async (_stage, isReached) => {
      purchaseId += 1;
      await blobs.deletePrefix('print-files');
      const first = await startWorker();
      const purchase = {
        purchaseId,
        externalId: `A-${purchaseId}`,
        quantity: 2,
        recordedAt: '2026-11-27T09:00:00.000Z',
      };
      await db.database.transaction((tx) =>
        appendEvent(tx, 'production.requested', { ...purchase, order: { ...order, title: `Postcard ${purchaseId}` } }),
      );
      while (!(await isReached())) await setImmediate();
      await kill(first);
      const before = await completeFiles();
      const ticketBefore = before && (await blobs.get(`production/A-${purchaseId}/ticket.json`));
      await startWorker();
      await eventually('the production', async () =>
        (await queries.list({ limit: 9, offset: 0 })).productions.some(
          (it) => it.purchaseId === purchaseId && it.status === 'ready',
        ),
      );
      const names = places.map((place) => `${place}.tif`);
      expect(await completeFiles()).toEqual(names);
      expect((await namesIn(`production/A-${purchaseId}`)).sort()).toEqual([...names, 'ticket.json'].sort());
      if (ticketBefore)
        expect((await blobs.get(`production/A-${purchaseId}/ticket.json`))!.equals(ticketBefore)).toBe(true);
    },
    120_000,
  );
});
