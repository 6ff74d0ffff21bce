import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { projectPath } from '#config';
import { problems, type Texture, type TextureReference } from '#contracts';
import { takeBackupLock } from '#persistence';
import type { QueueClients } from '#request-queue';
import { FolderBlobStore } from '#storage';
import { eventually, testDatabase, type TestDatabase } from '#testing';
import { addTexture, textureStore } from '../testing/stored-texture.js';
import { DiscardedBlobRepository } from './discarded-blob.repository.js';
import { TextureEntity } from './texture.entity.js';
import { TextureReferenceRepository } from './texture-reference.repository.js';
import { TextureRepository } from './texture.repository.js';
import type { Storable, TextureStore } from './texture.store.js';
import { TextureSweeper } from './texture.sweeper.js';

const [aya, ben] = [1, 2];
const quotaExceeded = { kind: problems['texture.quota-exceeded'] };

describe('textures that no material uses', () => {
  let db: TestDatabase;
  let folder: string;
  let blobs: FolderBlobStore;
  let store: TextureStore;
  let references: TextureReferenceRepository;
  let discarded: DiscardedBlobRepository;
  let owner: pg.Client;
  /** The reply of the catalogue, and what happens during the call. */
  let used: TextureReference[];
  let meanwhile: () => Promise<void>;

  beforeEach(async () => {
    db = await testDatabase('material-rendering', [TextureEntity]);
    folder = await mkdtemp(join(tmpdir(), 'texture-sweep-'));
    blobs = new FolderBlobStore(folder);
    store = textureStore(db.database, blobs);
    references = new TextureReferenceRepository(db.database);
    discarded = new DiscardedBlobRepository(db.database, blobs);
    owner = new pg.Client(db.url);
    await owner.connect();
    used = [];
    meanwhile = () => Promise.resolve();
  });
  afterEach(async () => {
    await owner.end();
    await db.close();
    await rm(folder, { recursive: true });
  });

  const newSweep = (): TextureSweeper => {
    const call = async (_: string, { references: asked }: { references: TextureReference[] }) => {
      await meanwhile();
      return asked.filter(({ userId, hash }) => used.some((it) => it.userId === userId && it.hash === hash));
    };
    return new TextureSweeper(
      references,
      discarded,
      { of: () => ({ call }) } as unknown as QueueClients,
      pino({ level: 'silent' }),
    );
  };
  const textureOf = (bytes: string): Texture => ({
    hash: createHash('sha256').update(bytes).digest('hex'),
    ...({ format: 'png', width: 10, height: 10, dominantRgb: null } as const),
    bytes: bytes.length,
  });
  const storable = (bytes: string, isStored = false): Storable => ({
    texture: textureOf(bytes),
    isStored,
    lost: null,
    put: (key) => blobs.put(key, Buffer.from(bytes)),
  });
  const upload = (userId: number, bytes: string) => store.add(userId, [storable(bytes)]);
  const graceIsOver = () => db.database.query(`update texture_references set check_at = now() - interval '1 minute'`);
  const bytesStored = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const key of blobs.list('textures')) found.push((await blobs.get(key))!.toString());
    return found.sort();
  };
  /** Bytes of all textures that have a row: none may be missing. */
  const bytesOfRows = async (): Promise<(string | undefined)[]> => {
    const rows = await db.database.query<{ hash: string }>('select hash from textures');
    const found = rows.map(async ({ hash }) => {
      const { key } = (await new TextureRepository(db.database).find(hash))!;
      return (await blobs.get(key))?.toString();
    });
    return (await Promise.all(found)).sort();
  };
  const left = async (table: string) => (await db.database.query<object>(`select from ${table}`)).length;

  it('are deleted with their bytes when the grace period is over, and not before', async () => {
    await upload(aya, 'cat');
    await upload(aya, 'dog');
    used = [{ userId: aya, hash: textureOf('dog').hash }];
    await newSweep().sweep();
    expect(await bytesStored()).toEqual(['cat', 'dog']);
    await graceIsOver();
    expect(await newSweep().sweep()).toBe(1);
    expect(await bytesStored()).toEqual(['dog']);
    expect(await bytesOfRows()).toEqual(['dog']);
    expect(await left('discarded_blobs')).toBe(0);
  });

  it('stay while another user uses the same bytes', async () => {
    await upload(aya, 'cat');
    await upload(ben, 'cat');
    used = [{ userId: ben, hash: textureOf('cat').hash }];
    await graceIsOver();
    await newSweep().sweep();
    expect(await bytesStored()).toEqual(['cat']);
    expect(await left('texture_references')).toBe(1);
  });

  it('stay when they are uploaded again while the catalogue is asked', async () => {
    await upload(aya, 'cat');
    await graceIsOver();
    meanwhile = () => store.add(aya, [storable('cat', true)]);
    await newSweep().sweep();
    expect(await bytesOfRows()).toEqual(['cat']);
  });

  it('stay when a request refers to them and has not committed: the sweep waits for its lock', async () => {
    await upload(aya, 'cat');
    await graceIsOver();
    await owner.query('begin');
    await owner.query(`insert into rendering.texture_references values ($1, $2, now() + interval '1 hour')`, [
      ben,
      textureOf('cat').hash,
    ]);
    const sweeping = newSweep().sweep();
    await eventually('the sweep waits', async () => {
      const rows = await db.database.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%textures%for update'
           and datname = current_database()`,
      );
      return rows.length === 1;
    });
    await owner.query('commit');
    await sweeping;
    expect(await bytesOfRows()).toEqual(['cat']);
    expect(await left('texture_references')).toBe(1);
  });

  it('are stored again when they were deleted between being found and being referred to', async () => {
    await upload(aya, 'cat');
    await graceIsOver();
    await newSweep().sweep();
    expect(await bytesStored()).toEqual([]);
    await store.add(ben, [storable('cat', true)]);
    expect(await bytesOfRows()).toEqual(['cat']);
  });

  it('are not harmed by a deletion that is late: the same bytes have another key the next time', async () => {
    await upload(aya, 'cat');
    await graceIsOver();
    const claimed = await references.claim();
    await references.remove(claimed);
    await upload(ben, 'cat');
    await discarded.delete(1);
    expect(await bytesStored()).toEqual(['cat']);
    expect(await bytesOfRows()).toEqual(['cat']);
  });

  it('are deleted once by two replicas, also beside uploads of the same bytes', async () => {
    const words = Array.from({ length: 60 }, (_, n) => `image ${n}`);
    for (const word of words) await upload(aya, word);
    await graceIsOver();
    const again = words.filter((_, n) => n % 2 === 0);
    await Promise.all([
      newSweep().sweep(),
      newSweep().sweep(),
      ...again.map((word) => store.add(ben, [storable(word, true)])),
    ]);
    await newSweep().sweep();
    expect(await bytesOfRows()).toEqual(again.toSorted());
    expect(await bytesStored()).toEqual(again.toSorted());
  });

  it('stored once when two requests store the same bytes at once', async () => {
    await Promise.all([upload(aya, 'cat'), upload(ben, 'cat'), upload(aya, 'cat')]);
    expect(await bytesStored()).toEqual(['cat']);
    expect(await left('texture_references')).toBe(2);
    expect(await left('discarded_blobs')).toBe(0);
  });

  it('include bytes that a process has stored and no row got', async () => {
    const key = `textures/${textureOf('cat').hash}.0123456789abcdef`;
    await new TextureRepository(db.database).announce([key]);
    await blobs.put(key, Buffer.from('cat'));
    await newSweep().sweep();
    expect(await bytesStored()).toEqual(['cat']);
    await db.database.query('update discarded_blobs set delete_at = now()');
    await newSweep().sweep();
    expect(await bytesStored()).toEqual([]);
  });

  it('are not deleted while a backup is made', async () => {
    await upload(aya, 'cat');
    await graceIsOver();
    await owner.query(takeBackupLock);
    await newSweep().sweep();
    expect(await bytesStored()).toEqual(['cat']);
    await owner.query('select pg_advisory_unlock_all()');
    await newSweep().sweep();
    expect(await bytesStored()).toEqual([]);
  });

  it('of the first version stay while anybody uses them', async () => {
    const texture = textureOf('cat');
    await addTexture(db.database, texture);
    await blobs.put(`textures/${texture.hash}`, Buffer.from('cat'));
    used = [{ userId: 0, hash: texture.hash }];
    await graceIsOver();
    await newSweep().sweep();
    expect(await bytesOfRows()).toEqual(['cat']);
    used = [];
    await new TextureRepository(db.database).scheduleCheck(aya, [texture.hash]);
    await graceIsOver();
    await newSweep().sweep();
    expect(await bytesStored()).toEqual([]);
  });

  describe('that the version before takes in beside this one', () => {
    const blobOfHash = () => `textures/${textureOf('cat').hash}`;
    const takeAsBefore = async () => {
      await blobs.put(blobOfHash(), Buffer.from('cat'));
      await addTexture(db.database, textureOf('cat'));
    };
    const usedByAnybody = () => (used = [{ userId: 0, hash: textureOf('cat').hash }]);

    it('stay while anybody uses them, although its own user no longer does', async () => {
      await upload(aya, 'cat');
      await takeAsBefore();
      usedByAnybody();
      await graceIsOver();
      await newSweep().sweep();
      expect(await bytesOfRows()).toEqual(['cat']);
      await newSweep().deleteAllOf(aya);
      expect(await bytesOfRows()).toEqual(['cat']);
      used = [];
      await graceIsOver();
      await db.database.query('update discarded_blobs set delete_at = now()');
      await newSweep().sweep();
      expect(await bytesStored()).toEqual([]);
    });

    it('stay when this version adds the same bytes at the same time', async () => {
      const { hash } = textureOf('cat');
      await owner.query('begin');
      await owner.query(
        `insert into rendering.textures (hash, format, width, height, bytes, blob_key)
         values ($1, 'png', 10, 10, 3, 'textures/' || $1 || '.0123456789abcdef')`,
        [hash],
      );
      const taken = takeAsBefore();
      await eventually('its insert waits', async () => {
        const waiting = await db.database.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return waiting.length === 1;
      });
      await owner.query('commit');
      await taken;
      const references = await db.database.query('select user_id, hash from texture_references');
      expect(references).toEqual([{ user_id: 0, hash }]);
    });

    it('keep bytes that were to be deleted, and are rejected when that has begun', async () => {
      await takeAsBefore();
      await graceIsOver();
      await references.remove(await references.claim());
      await takeAsBefore();
      expect(await left('discarded_blobs')).toBe(0);
      await graceIsOver();
      await references.remove(await references.claim());
      await db.database.query('update discarded_blobs set claimed = true');
      await expect(takeAsBefore()).rejects.toThrow(/being deleted/);
      expect(await left('textures')).toBe(0);
    });
  });

  it('of a deleted user are deleted at once, but for those that another user has uploaded too', async () => {
    for (const word of ['cat', 'dog', 'owl']) await upload(aya, word);
    await upload(ben, 'dog');
    expect(await bytesStored()).toEqual(['cat', 'dog', 'owl']);
    await newSweep().deleteAllOf(aya);
    expect(await bytesStored()).toEqual(['dog']);
    expect(await bytesOfRows()).toEqual(['dog']);
    await newSweep().deleteAllOf(aya);
    await expect(upload(aya, 'fox')).rejects.toMatchObject({ kind: problems['user.not-found'] });
    expect(await bytesStored()).toEqual(['dog']);
    expect(await left('discarded_blobs')).toBe(0);
  });

  it('of a deleted user are deleted when an attempt that the store has failed is repeated', async () => {
    await upload(aya, 'cat');
    const remove = blobs.delete.bind(blobs);
    blobs.delete = () => Promise.reject(new Error('away'));
    await expect(newSweep().deleteAllOf(aya)).rejects.toThrow('away');
    blobs.delete = remove;
    await newSweep().deleteAllOf(aya);
    expect(await bytesStored()).toEqual([]);
  });

  it('of a deleted user are deleted when the worker that was deleting them has ended, and the event is repeated', async () => {
    await upload(aya, 'cat');
    const remove = blobs.delete.bind(blobs);
    const ended = new Promise<void>((resolve) => {
      blobs.delete = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    void newSweep().deleteAllOf(aya);
    await ended;
    blobs.delete = remove;
    await newSweep().deleteAllOf(aya);
    expect(await bytesStored()).toEqual([]);
    expect(await left('discarded_blobs')).toBe(0);
  });

  it('of the version before have one worker, which may be late: that version writes their keys again', async () => {
    const [old, own] = ['', '.0123456789abcdef'].map((end) => `textures/${textureOf('cat').hash}${end}`);
    for (const key of [old!, own!]) {
      await blobs.put(key, Buffer.from(key));
      await db.database.query(`insert into discarded_blobs values ($1, now() + interval '10 minutes', true)`, [key]);
    }
    await newSweep().deleteAllOf(aya);
    expect(await bytesStored()).toEqual([old]);
  });

  it('of this version are there for the version before after the documented way back, and stay', async () => {
    const operations = await readFile(projectPath('docs/operations.md'), 'utf8');
    const [wayBack] = /begin;[^;]+rendering[^`]+commit;/.exec(operations)!;
    const { hash } = textureOf('cat');
    await upload(aya, 'cat');
    await blobs.put(`textures/${hash}`, Buffer.from('cat'));
    await db.database.query('insert into discarded_blobs values ($1, now(), true)', [`textures/${hash}`]);
    await owner.query(wayBack);
    expect(await db.database.query('select blob_key from textures')).toEqual([{ blob_key: null }]);
    // A user of the version before has the same image: its row is there, so nothing is written
    used = [{ userId: 0, hash }];
    await newSweep().deleteAllOf(aya);
    await graceIsOver();
    await db.database.query('update discarded_blobs set delete_at = now()');
    await newSweep().sweep();
    expect(await bytesOfRows()).toEqual(['cat']);
    expect(await bytesStored()).toEqual(['cat']);
    expect(await left('discarded_blobs')).toBe(0);
  });

  describe('count against a quota', () => {
    const limited = () => textureStore(db.database, blobs, 10);
    const take = (userId: number, ...images: string[]) =>
      limited().add(
        userId,
        images.map((it) => storable(it)),
      );

    it('that the database decides: one of two uploads gets the last bytes, and the other leaves nothing', async () => {
      await owner.query('begin');
      // Both uploads have it, and so are still under way at the same time
      await owner.query(
        `insert into rendering.textures (hash, format, width, height, bytes) values ($1, 'png', 10, 10, 1)`,
        [textureOf('x').hash],
      );
      const uploads = Promise.allSettled([take(aya, 'x', 'word1'), take(aya, 'x', 'word2')]);
      await eventually('both uploads wait', async () => {
        const waiting = await db.database.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return waiting.length === 2;
      });
      await owner.query('rollback');
      const reasons = (await uploads).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(reasons).toEqual([expect.objectContaining(quotaExceeded)]);
      expect(await bytesStored()).toHaveLength(2);
      expect(await bytesOfRows()).toEqual(await bytesStored());
      expect(await left('texture_references')).toBe(2);
      expect(await left('discarded_blobs')).toBe(0);
    });

    it('of each user: the same bytes count for both, and a second time for neither', async () => {
      await take(aya, '1234567890');
      await take(aya, '1234567890');
      await take(ben, '1234567890');
      await expect(take(ben, '1')).rejects.toMatchObject({
        ...quotaExceeded,
        detail: expect.stringContaining('10 of 10 bytes are used, and 1 more are needed'),
        hashes: [textureOf('1').hash],
      });
    });

    it('all or none, naming those that are too many', async () => {
      await expect(take(aya, '12345', '1234', 'ab', 'c')).rejects.toMatchObject({
        hashes: [textureOf('ab').hash, textureOf('c').hash],
      });
      expect(await bytesStored()).toEqual([]);
      expect(await left('texture_references')).toBe(0);
    });

    it('that has room again when the sweep has deleted what is unused', async () => {
      await take(aya, '1234567890');
      await expect(take(aya, '1')).rejects.toMatchObject(quotaExceeded);
      await graceIsOver();
      await newSweep().sweep();
      await take(aya, '1');
      expect(await bytesStored()).toEqual(['1']);
    });
  });
});
