import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { printFileKey, printFilesFolder, type PrintOrder } from '#contracts';
import { type Delivery, PermanentFailure } from '#events';
import { type Tx } from '#persistence';
import { placeArtwork } from '#placement';
import { type BlobBytes, FolderBlobStore, storeUnavailable } from '#storage';
import { testDatabase, type TestDatabase } from '#testing';
import type { RenderingEnv } from '../env.js';
import { openTexture } from '#images';
import { addTexture } from '../testing/stored-texture.js';
import { TextureDecoder } from '../textures/texture.decoder.js';
import { TextureEntity } from '../textures/texture.entity.js';
import { TextureReferenceRepository } from '../textures/texture-reference.repository.js';
import { TextureRepository } from '../textures/texture.repository.js';
import { testImage } from '../textures/testing/test-images.js';
import { ProductionRepository } from '../productions/production.repository.js';
import { PrintFileConsumer } from './print-file.consumer.js';
import { PrintFileRenderer } from './print-file.renderer.js';
import { TextRenderer } from '../texts/text.renderer.js';
import { PrintFileRepository } from './print-file.repository.js';
import { PrintFileStore } from './print-file.store.js';
import { PrintFileSweeper } from './print-file.sweeper.js';

const env = { PRINT_FILES_DAYS: 7 } as RenderingEnv;
const productId = 7;
const userId = 3;
const area = { width: 60, height: 40 };
const artwork = { width: 300, height: 200 };
const { matrix, repeat, period } = placeArtwork({ artwork, area, mode: 'contain' });

/** Store that fails as `failing` says. */
class FailingStore extends FolderBlobStore {
  failing: (key: string) => Error | null = () => null;

  override put(key: string, bytes: BlobBytes): Promise<void> {
    const error = this.failing(key);
    return error ? Promise.reject(error) : super.put(key, bytes);
  }
}

describe('print files', () => {
  let db: TestDatabase;
  let folder: string;
  let blobs: FailingStore;
  let decoder: TextureDecoder;
  let texts: TextRenderer;
  let rows: PrintFileRepository;
  let consumer: PrintFileConsumer;
  let sweeper: PrintFileSweeper;
  let order: PrintOrder;

  beforeAll(async () => {
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'print-files-'));
    blobs = new FailingStore(folder);
    decoder = new TextureDecoder({ timeoutMs: 60_000 });
    texts = new TextRenderer({ timeoutMs: 60_000 });
    const image = await testImage({ format: 'png', ...artwork, color: '#be1e2d' });
    const hash = createHash('sha256').update(image).digest('hex');
    await blobs.put(`textures/${hash}`, image);
    await addTexture(db.database, { hash, format: 'png', ...artwork, bytes: image.length, dominantRgb: null });
    const store = new PrintFileStore(blobs);
    rows = new PrintFileRepository(db.database, env);
    const renderer = new PrintFileRenderer(new TextureRepository(db.database), decoder, blobs, store, texts);
    const productions = new ProductionRepository(db.database, rows);
    consumer = new PrintFileConsumer(rows, renderer, store, productions);
    sweeper = new PrintFileSweeper(rows, store, productions, pino({ level: 'silent' }), env);
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
      productId,
      materialId: 12,
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
    await db.database.query('delete from print_files');
    await db.database.query('delete from outbox');
    await blobs.deletePrefix('print-files');
  });

  const requests = async (): Promise<number[]> => {
    const events = await db.database.query<{ payload: { printFilesId: number } }>(
      `select payload from outbox where name = 'print-files.requested' order by seq`,
    );
    return events.map(({ payload }) => payload.printFilesId);
  };
  const filesOf = async (printFilesId: number): Promise<string[]> => {
    const keys: string[] = [];
    for await (const key of blobs.list(printFilesFolder(printFilesId))) keys.push(key);
    return keys.sort();
  };

  /** Delivers the request of a set once. */
  const deliver = (printFilesId: number, change: Partial<Delivery<'print-files.requested'>> = {}): Promise<void> =>
    consumer.printFilesRequested({
      event: { payload: { printFilesId, userId } },
      attempt: 1,
      signal: new AbortController().signal,
      progress: () => Promise.resolve(),
      once: async (work: (tx: Tx) => Promise<void>) => {
        await db.database.transaction(work);
        return true;
      },
      ...change,
    } as unknown as Delivery<'print-files.requested'>);

  it('have the curves of a text in the PDF if its text is stored', async () => {
    const task = { text: 'Lighthouse', rgb: '#be1e2d' };
    const { bytes: image, measurement } = await texts.render(task);
    if (measurement.kind !== 'measured') throw new Error(measurement.kind);
    const { width, height } = measurement;
    const hash = createHash('sha256').update(image).digest('hex');
    await blobs.put(`textures/${hash}`, image);
    await addTexture(db.database, { hash, format: 'png', width, height, bytes: image.length, dominantRgb: null });
    const images = async (): Promise<number> => {
      const { id } = await rows.request({ ...order, places: [{ ...order.places[0]!, textureHash: hash }] });
      await deliver(id);
      const [key] = (await filesOf(id)).filter((it) => it.endsWith('.pdf'));
      return (await blobs.get(key!))!.toString('latin1').split('/Subtype /Image').length - 1;
    };
    expect(await images()).toBe(1);
    await db.database.query('update textures set text = $2 where hash = $1', [hash, JSON.stringify(task)]);
    await db.database.query('delete from print_files');
    expect(await images()).toBe(0);
  });

  it('are made, with a ticket that names each file', async () => {
    const requested = await rows.request(order);
    expect(requested).toMatchObject({ status: 'waiting', progress: 0, files: [], ticket: null });
    await deliver(requested.id);
    const { status, progress, files, ticket } = (await rows.find(productId, requested.id))!;
    expect([status, progress]).toEqual(['ready', 100]);
    // 66 x 46 mm with bleed
    const common = { width: 390, height: 272, dpi: 150, colorSpace: 'cmyk', sha256: expect.any(String) };
    expect(files).toEqual([
      { place: 'front', format: 'pdf', ...common },
      { place: 'back', format: 'tiff', ...common },
    ]);
    const names = [`${files[0]!.sha256}.pdf`, `${files[1]!.sha256}.tif`, `${ticket}.json`];
    const keys = names.map((name) => printFileKey({ printFilesId: requested.id, name }));
    expect(await filesOf(requested.id)).toEqual([...keys].sort());
    for (const [n, key] of keys.entries())
      expect(
        createHash('sha256')
          .update((await blobs.get(key))!)
          .digest('hex'),
      ).toBe(names[n]!.slice(0, 64));
    expect(JSON.parse((await blobs.get(keys[2]!))!.toString())).toMatchObject({
      product: { id: productId, title: 'Lighthouse postcard' },
      variant: { id: 11, color: 'white' },
      files: [
        { place: 'front', sha256: files[0]!.sha256, technique: 'offset', millimetres: area, profile: 'FOGRA39' },
        { place: 'back', sha256: files[1]!.sha256 },
      ],
    });
  });

  it('are made once for twenty concurrent requests, and the same bytes for the same product', async () => {
    const sets = await Promise.all(Array.from({ length: 20 }, () => rows.request(order)));
    expect(new Set(sets.map(({ id }) => id)).size).toBe(1);
    expect(await requests()).toEqual([sets[0]!.id]);
    await deliver(sets[0]!.id);
    const first = (await rows.find(productId, sets[0]!.id))!;
    await sweeper.deleteOfMaterial(order.materialId);
    const again = await rows.request(order);
    expect(again.id).not.toBe(first.id);
    await deliver(again.id);
    expect(await rows.find(productId, again.id)).toMatchObject({ files: first.files, ticket: first.ticket });
  });

  it('have one result when they are delivered twice, also at the same time', async () => {
    const { id } = await rows.request(order);
    await Promise.all([deliver(id), deliver(id)]);
    const files = await filesOf(id);
    expect(files).toHaveLength(3);
    await deliver(id);
    expect(await filesOf(id)).toEqual(files);
    expect(await rows.find(productId, id)).toMatchObject({ status: 'ready' });
  });

  it('wait while the disk is full, without an unfinished file that is served', async () => {
    const { id } = await rows.request(order);
    for (const part of ['making-front', 'making-back', '.json']) {
      blobs.failing = (key) => (key.includes(part) ? storeUnavailable('full') : null);
      await expect(deliver(id, { attempt: 9 })).rejects.toMatchObject({ kind: { code: 'service.unavailable' } });
      expect(await rows.find(productId, id)).toMatchObject({ status: 'making', files: [], ticket: null });
    }
    blobs.failing = () => null;
    await deliver(id);
    expect(await filesOf(id)).toHaveLength(3);
  });

  it('are failed after the fifth attempt, and made again by the next request', async () => {
    const { id } = await rows.request(order);
    blobs.failing = () => new Error('broken');
    await expect(deliver(id, { attempt: 4 })).rejects.toThrow('broken');
    expect(await rows.find(productId, id)).toMatchObject({ status: 'making' });
    await expect(deliver(id, { attempt: 5 })).rejects.toThrow(PermanentFailure);
    expect(await rows.find(productId, id)).toMatchObject({ status: 'failed' });
    blobs.failing = () => null;
    expect(await rows.request(order)).toMatchObject({ id, status: 'waiting' });
    expect(await requests()).toEqual([id, id]);
    await deliver(id);
    expect(await rows.find(productId, id)).toMatchObject({ status: 'ready' });
  });

  it('of which one failed leave no file', async () => {
    const { id } = await rows.request(order);
    blobs.failing = (key) => (key.includes('making-back') ? new Error('broken') : null);
    await expect(deliver(id, { attempt: 4 })).rejects.toThrow('broken');
    expect(await filesOf(id)).toHaveLength(1);
    await expect(deliver(id, { attempt: 5 })).rejects.toThrow(PermanentFailure);
    expect(await filesOf(id)).toEqual([]);
  });

  it('are failed at once without their texture', async () => {
    const places = [{ ...order.places[0]!, textureHash: 'f'.repeat(64) }];
    const { id } = await rows.request({ ...order, places });
    await expect(deliver(id)).rejects.toThrow(PermanentFailure);
    expect(await rows.find(productId, id)).toMatchObject({ status: 'failed' });
  });

  it('are failed after an hour without progress, and may be requested again', async () => {
    const { id } = await rows.request(order);
    await db.database.query(`update print_files set updated_at = now() - interval '61 minutes'`);
    expect(await rows.find(productId, id)).toMatchObject({ status: 'failed' });
    expect(await rows.request(order)).toMatchObject({ id, status: 'waiting' });
    expect(await requests()).toEqual([id, id]);
  });

  it('stop when the process shuts down', async () => {
    const { id } = await rows.request(order);
    await expect(deliver(id, { attempt: 5, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(await rows.find(productId, id)).toMatchObject({ status: 'making' });
  });

  it('are not found with another product', async () => {
    const { id } = await rows.request(order);
    expect(await rows.find(productId + 1, id)).toBeNull();
  });

  it('are limited to 20 waiting sets and 2 GB of a user', async () => {
    const tooMany = { kind: { code: 'print-files.too-many', status: 422 } };
    for (let n = 0; n < 20; n++) await rows.request({ ...order, productId: 100 + n });
    await expect(rows.request(order)).rejects.toMatchObject(tooMany);
    await expect(rows.request({ ...order, productId: 100 })).resolves.toMatchObject({ status: 'waiting' });
    await expect(rows.request({ ...order, userId: 4 })).resolves.toMatchObject({ status: 'waiting' });
    await db.database.query(
      `update print_files set status = 'ready', ticket = '', bytes = case when product_id = 100 then 2147483648 else 0 end`,
    );
    await expect(rows.request(order)).rejects.toMatchObject(tooMany);
  });

  it('of sold products, and those for a printer, are not limited', async () => {
    for (let n = 0; n < 20; n++) await rows.request({ ...order, productId: 100 + n });
    await expect(rows.request(order, false)).resolves.toMatchObject({ status: 'waiting' });
    await db.database.query(
      `insert into productions (purchase_id, folder, quantity, recorded_at, "order", print_files_id)
       select id, 'production/purchase-' || id, 1, now(), '{}', id from print_files`,
    );
    await expect(rows.request({ ...order, productId: 200 })).resolves.toMatchObject({ status: 'waiting' });
    await db.database.query('delete from productions');
  });

  it('are deleted after their days, with their files; a request keeps them', async () => {
    const [kept, old] = [await rows.request(order), await rows.request({ ...order, productId: 8 })];
    for (const { id } of [kept, old]) await deliver(id);
    await db.database.query(`update print_files set updated_at = now() - interval '8 days'`);
    await rows.request(order);
    await sweeper.sweep();
    expect([await filesOf(kept.id), await filesOf(old.id)]).toEqual([expect.arrayContaining([expect.any(String)]), []]);
    expect(await rows.find(8, old.id)).toBeNull();
    expect(Date.parse((await rows.find(productId, kept.id))!.storedUntil)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  });

  it('leave nothing behind when they are deleted while they are made', async () => {
    const { id } = await rows.request(order);
    let progress = 0;
    await deliver(id, {
      progress: async () => {
        progress += 1;
        if (progress === 2) await sweeper.deleteOfMaterial(order.materialId);
      },
    });
    expect([progress, await filesOf(id), await rows.find(productId, id)]).toEqual([2, [], null]);
  });

  it('of a deleted user are deleted, and no more are made', async () => {
    const deleted = 99;
    const { id } = await rows.request({ ...order, userId: deleted });
    await deliver(id);
    await new TextureReferenceRepository(db.database).markUserDeleted(deleted);
    await sweeper.deleteAllOf(deleted);
    expect([await filesOf(id), await rows.find(productId, id)]).toEqual([[], null]);
    await expect(rows.request({ ...order, userId: deleted })).rejects.toMatchObject({
      kind: { code: 'user.not-found' },
    });
  });

  it('in PNG are RGB with alpha', async () => {
    const { id } = await rows.request({ ...order, places: [{ ...order.places[0]!, format: 'png' }] });
    await deliver(id);
    const { files } = (await rows.find(productId, id))!;
    expect(files).toMatchObject([{ format: 'png', colorSpace: 'rgb' }]);
    const png = (await blobs.get(printFileKey({ printFilesId: id, name: `${files[0]!.sha256}.png` })))!;
    expect(await openTexture(png).metadata()).toMatchObject({ width: 390, height: 272, channels: 4, density: 150 });
  });
});
