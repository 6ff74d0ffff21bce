import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type EventPayload, type PrintOrder, problems } from '#contracts';
import { type Delivery, Inbox } from '#events';
import { markUserDeleted } from '#persistence';
import { placeArtwork } from '#placement';
import { type BlobBytes, FolderBlobStore, storeUnavailable } from '#storage';
import { testDatabase, type TestDatabase } from '#testing';
import type { RenderingEnv } from '../env.js';
import { PrintFileConsumer } from '../print-files/print-file.consumer.js';
import { PrintFileRenderer } from '../print-files/print-file.renderer.js';
import { PrintFileRepository } from '../print-files/print-file.repository.js';
import { PrintFileStore } from '../print-files/print-file.store.js';
import { PrintFileSweeper } from '../print-files/print-file.sweeper.js';
import { addTexture } from '../testing/stored-texture.js';
import { TextRenderer } from '../texts/text.renderer.js';
import { testImage } from '../textures/testing/test-images.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { ProductionConsumer } from './production.consumer.js';
import { ProductionQueries } from './production.queries.js';
import { ProductionRepository } from './production.repository.js';
import { ProductionStore } from './production.store.js';

const env = { PRINT_FILES_DAYS: 7 } as RenderingEnv;
const userId = 3;
const materialId = 12;
const area = { width: 60, height: 40 };
const artwork = { width: 300, height: 200 };
const recordedAt = '2026-11-27T09:00:00.000Z';

/** Store that records its writes, and fails as `failing` says. */
class FailingStore extends FolderBlobStore {
  readonly written: string[] = [];
  failing: (key: string) => Error | null = () => null;

  override async put(key: string, bytes: BlobBytes): Promise<void> {
    const error = this.failing(key);
    if (error) throw error;
    await super.put(key, bytes);
    this.written.push(key);
  }
}

interface Event {
  readonly id: string;
  readonly name: 'production.requested' | 'production.files-made' | 'print-files.requested';
  readonly payload: object;
}

describe('productions', () => {
  let db: TestDatabase;
  let folder: string;
  let blobs: FailingStore;
  let decoder: TextureDecoder;
  let productions: ProductionRepository;
  let queries: ProductionQueries;
  let consumer: ProductionConsumer;
  let printFiles: PrintFileConsumer;
  let texts: TextRenderer;
  let sweeper: PrintFileSweeper;
  let order: PrintOrder;
  let queue: Event[] = [];

  beforeAll(async () => {
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'productions-'));
    await mkdir(join(folder, 'disk'));
    blobs = new FailingStore(folder);
    decoder = new TextureDecoder({ timeoutMs: 60_000 });
    texts = new TextRenderer({ timeoutMs: 60_000 });
    const image = await testImage({ format: 'png', ...artwork, color: '#be1e2d' });
    const hash = createHash('sha256').update(image).digest('hex');
    await blobs.put(`textures/${hash}`, image);
    await addTexture(db.database, { hash, format: 'png', ...artwork, bytes: image.length, dominantRgb: null });
    const [store, rows] = [new PrintFileStore(blobs), new PrintFileRepository(db.database, env)];
    const renderer = new PrintFileRenderer(new TextureRepository(db.database), decoder, blobs, store, texts);
    productions = new ProductionRepository(db.database, rows);
    queries = new ProductionQueries(db.database);
    consumer = new ProductionConsumer(productions, new ProductionStore(blobs));
    printFiles = new PrintFileConsumer(rows, renderer, store, productions);
    sweeper = new PrintFileSweeper(rows, store, productions, pino({ level: 'silent' }), env);
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
    const common = { textureHash: hash, placed: { matrix, repeat, period }, area, printing };
    order = {
      userId,
      productId: 7,
      materialId,
      title: 'Lighthouse postcard',
      changedAt: '2026-11-20T09:00:00.000Z',
      item: 'postcard',
      variant: { id: 11, size: 'one', color: 'white', rgb: '#ffffff', isDark: false },
      places: [
        { place: 'front', format: 'pdf', ...common },
        { place: 'back', format: 'tiff', ...common },
      ],
      warnings: [],
    };
  });
  afterAll(async () => {
    decoder.onApplicationShutdown();
    texts.onApplicationShutdown();
    await db.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    blobs.failing = () => null;
    queue = [];
    for (const table of ['productions', 'print_files', 'outbox', 'deleted_users'])
      await db.database.query(`delete from ${table}`);
    for (const prefix of ['production', 'print-files']) await blobs.deletePrefix(prefix);
    blobs.written.length = 0;
  });

  const consumers: Record<Event['name'], (delivery: never) => Promise<void>> = {
    'production.requested': (delivery) => consumer.productionRequested(delivery),
    'production.files-made': (delivery) => consumer.filesMade(delivery),
    'print-files.requested': (delivery) => printFiles.printFilesRequested(delivery),
  };
  const deliver = (event: Event, signal = new AbortController().signal): Promise<void> =>
    consumers[event.name]({
      event,
      attempt: 1,
      signal,
      progress: () => Promise.resolve(),
      ...new Inbox(db.database, 1).forEvent(event.id),
    } as unknown as Delivery as never);

  /**
   * Delivers all events with those that they append. A failed event remains in the queue, so that
   * the next call delivers it again.
   *
   * @param times number of concurrent deliveries of each event
   */
  const consumeAll = async (times = 1): Promise<void> => {
    for (;;) {
      queue.push(...(await db.database.write<Event>('delete from outbox returning id, name, payload', [])));
      const [event] = queue;
      if (!event) return;
      await Promise.all(Array.from({ length: times }, () => deliver(event)));
      queue.shift();
    }
  };
  const request = (purchaseId: number, more: Partial<EventPayload<'production.requested'>> = {}): void =>
    void queue.push({
      id: randomUUID(),
      name: 'production.requested',
      payload: { purchaseId, externalId: null, quantity: 1, recordedAt, order, ...more },
    });
  const filesIn = async (prefix: string): Promise<string[]> => {
    const keys: string[] = [];
    for await (const key of blobs.list(prefix)) keys.push(key.slice(prefix.length + 1));
    return keys.sort();
  };
  const all = ['back.tif', 'front.pdf', 'ticket.json'];
  const rowsOf = async (table: string): Promise<number> => (await db.database.query(`select from ${table}`)).length;

  it('have all files and then a ticket that names them', async () => {
    request(7, { externalId: 'A-1', quantity: 3 });
    await consumeAll();
    expect(await filesIn('production/A-1')).toEqual(all);
    expect(blobs.written.filter((key) => key.startsWith('production/'))).toEqual(
      ['front.pdf', 'back.tif', 'ticket.json'].map((name) => `production/A-1/${name}`),
    );
    const ticket = JSON.parse((await blobs.get('production/A-1/ticket.json'))!.toString()) as {
      files: { name: string; sha256: string }[];
    };
    expect(ticket).toMatchObject({
      version: 1,
      purchase: { id: 7, externalId: 'A-1', quantity: 3, recordedAt },
      product: { id: 7, title: 'Lighthouse postcard' },
      variant: { id: 11, size: 'one', color: 'white' },
      files: [
        { name: 'front.pdf', place: 'front', technique: 'offset', millimetres: area, dpi: 150, profile: 'FOGRA39' },
        { name: 'back.tif', place: 'back' },
      ],
      warnings: [],
    });
    for (const { name, sha256 } of ticket.files) {
      const stored = (await blobs.get(`production/A-1/${name}`))!;
      expect([name, createHash('sha256').update(stored).digest('hex')]).toEqual([name, sha256]);
    }
    expect(await queries.show(7)).toMatchObject({
      status: 'ready',
      reason: null,
      folder: 'production/A-1',
      quantity: 3,
    });
  });

  it('have the folder of the purchase without an external id', async () => {
    request(7);
    await consumeAll();
    expect(await filesIn('production/purchase-7')).toEqual(all);
  });

  it('are one set when each event is delivered twice at the same time', async () => {
    request(7, { externalId: 'A-1' });
    await consumeAll(2);
    expect(await filesIn('production/A-1')).toEqual(all);
    expect([await rowsOf('productions'), await rowsOf('print_files')]).toEqual([1, 1]);
    expect(await queries.show(7)).toMatchObject({ status: 'ready' });
  });

  it('of the same product share their print files, also when these are ready', async () => {
    for (const id of [1, 2, 3]) request(id);
    await consumeAll();
    request(4);
    await consumeAll();
    for (const id of [1, 2, 3, 4]) expect(await filesIn(`production/purchase-${id}`)).toEqual(all);
    expect(blobs.written.filter((key) => key.includes('making-front'))).toHaveLength(1);
  });

  it('are not limited as the requests of the owner', async () => {
    for (let id = 1; id <= 21; id++) request(id, { order: { ...order, title: `Title ${id}` } });
    while (queue.length > 0) {
      await deliver(queue[0]!);
      queue.shift();
    }
    expect(await rowsOf('print_files')).toBe(21);
    expect(await rowsOf(`productions where status = 'waiting'`)).toBe(21);
  });

  it.each(['front.pdf', 'back.tif', 'ticket.json', 'making-back'])(
    'have no ticket while the disk is full at %s, name the reason, and are completed by a retry',
    async (name) => {
      blobs.failing = (key) => (key.startsWith('p') && key.includes(name) ? storeUnavailable('Disk full.') : null);
      request(7, { externalId: 'A-1' });
      await expect(consumeAll()).rejects.toMatchObject({ kind: problems['service.unavailable'] });
      expect(await filesIn('production/A-1')).not.toContain('ticket.json');
      expect(await queries.show(7)).toMatchObject({ status: 'failed', reason: 'Disk full.' });
      blobs.failing = () => null;
      await productions.retry(7);
      expect(await queries.show(7)).toMatchObject({ status: 'waiting', reason: null });
      await consumeAll();
      expect(await filesIn('production/A-1')).toEqual(all);
      expect(await queries.show(7)).toMatchObject({ status: 'ready', reason: null });
    },
  );

  it('are completed by the next delivery of a failed event', async () => {
    blobs.failing = (key) => (key.endsWith('A-1/back.tif') ? new Error('broken') : null);
    request(7, { externalId: 'A-1' });
    await expect(consumeAll()).rejects.toThrow('broken');
    blobs.failing = () => null;
    await consumeAll();
    expect(await filesIn('production/A-1')).toEqual(all);
  });

  it('are not failed by a shutdown', async () => {
    request(7, { externalId: 'A-1' });
    blobs.failing = (key) => (key.startsWith('production/') ? new Error('stop') : null);
    await expect(consumeAll()).rejects.toThrow('stop');
    await db.database.query(`update productions set status = 'waiting', reason = null`);
    await expect(deliver(queue[0]!, AbortSignal.abort())).rejects.toThrow();
    expect(await queries.show(7)).toMatchObject({ status: 'waiting' });
  });

  it('remove the ticket before files are replaced by others', async () => {
    const store = new ProductionStore(blobs);
    await blobs.put('print-files/1/old.pdf', Buffer.from('old'));
    await blobs.put('production/A-1/ticket.json', Buffer.from('{"old": true}'));
    const file = { place: 'front', format: 'pdf', width: 1, height: 1, dpi: 1, colorSpace: 'rgb' } as const;
    const publish = (sha256: string) =>
      store.publish(
        'production/A-1',
        { printFilesId: 1, files: [{ ...file, sha256 }], ticket: Buffer.from('{}') },
        new AbortController().signal,
      );
    await expect(publish('missing')).rejects.toThrow('print file print-files/1/missing.pdf is missing');
    expect(await filesIn('production/A-1')).toEqual([]);
    await publish('old');
    expect(await filesIn('production/A-1')).toEqual(['front.pdf', 'ticket.json']);
  });

  it('stay when material and user are deleted, and fail when they were not published before', async () => {
    request(1);
    await consumeAll();
    request(2, { order: { ...order, title: 'Other' } });
    await deliver(queue.shift()!);
    await sweeper.deleteOfMaterial(materialId);
    await consumeAll();
    expect(await filesIn('production/purchase-1')).toEqual(all);
    expect(await filesIn('production/purchase-2')).toEqual([]);
    expect(await queries.show(1)).toMatchObject({ status: 'ready' });
    expect(await queries.show(2)).toMatchObject({ status: 'failed', reason: expect.stringMatching(/were deleted/) });
    await db.database.transaction((tx) => markUserDeleted(tx, userId));
    request(3);
    await consumeAll();
    expect(await queries.show(3)).toMatchObject({ status: 'failed', reason: expect.stringMatching(/deleted/) });
    await expect(productions.retry(2)).rejects.toMatchObject({ kind: problems['user.not-found'] });
  });

  it('are published again by a retry, with files that are made again if they have expired', async () => {
    request(7, { externalId: 'A-1' });
    await consumeAll();
    const before = await blobs.get('production/A-1/ticket.json');
    for (const isExpired of [false, true]) {
      await blobs.deletePrefix('production/A-1');
      if (isExpired) await sweeper.deleteOfMaterial(materialId);
      await productions.retry(7);
      await consumeAll();
      expect(await filesIn('production/A-1')).toEqual(all);
      expect((await blobs.get('production/A-1/ticket.json'))!.equals(before!)).toBe(true);
    }
  });

  it('are listed by status, newest first, in pages', async () => {
    for (const id of [1, 2, 3]) request(id);
    await consumeAll();
    await productions.fail(2, new Error('ignored, because it is published'));
    await db.database.query(`update productions set status = 'failed', reason = 'x' where purchase_id = 3`);
    const list = async (more: object) => {
      const { productions: found, nextOffset } = await queries.list({ limit: 50, offset: 0, ...more });
      return [found.map(({ purchaseId }) => purchaseId), nextOffset];
    };
    expect(await list({})).toEqual([[3, 2, 1], null]);
    expect(await list({ status: 'ready' })).toEqual([[2, 1], null]);
    expect(await list({ limit: 2 })).toEqual([[3, 2], 2]);
    expect(await list({ limit: 2, offset: 2 })).toEqual([[1], null]);
  });

  it('do not exist for an unknown purchase', async () => {
    const missing = { kind: problems['production.not-found'] };
    await expect(queries.show(99)).rejects.toMatchObject(missing);
    await expect(productions.retry(99)).rejects.toMatchObject(missing);
  });

  it('wait for space on a disk that is full', async () => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', join(folder, 'disk')], { stdio: 'ignore' });
    } catch {
      if (process.env.REQUIRE_MOUNT === '1')
        throw new Error('REQUIRE_MOUNT=1 is set, but no small disk can be mounted');
      console.warn('SKIPPED: productions on a full disk. No small disk can be mounted.');
      return;
    }
    try {
      const disk = new FolderBlobStore(join(folder, 'disk'));
      const store = new ProductionStore(disk);
      await disk.put('print-files/1/aa.tif', Buffer.alloc(300_000));
      const ballast = join(folder, 'disk', '.ballast');
      await writeFile(ballast, Buffer.alloc(600_000));
      const file = {
        place: 'back',
        format: 'tiff',
        width: 1,
        height: 1,
        dpi: 1,
        colorSpace: 'rgb',
        sha256: 'aa',
      } as const;
      const publish = () =>
        store.publish(
          'production/A-1',
          { printFilesId: 1, files: [file], ticket: Buffer.from('{}') },
          new AbortController().signal,
        );
      await expect(publish()).rejects.toMatchObject({ kind: problems['service.unavailable'] });
      expect(await disk.has('production/A-1/back.tif')).toBe(false);
      expect(await disk.has('production/A-1/ticket.json')).toBe(false);
      await rm(ballast);
      await publish();
      expect((await disk.get('production/A-1/back.tif'))!.length).toBe(300_000);
    } finally {
      execFileSync('umount', [join(folder, 'disk')]);
    }
  });
});
