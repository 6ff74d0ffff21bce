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

describe('TextureSweeper', () => {
  let db: TestDatabase;
  let folder: string;
  let blobs: FolderBlobStore;
  let store: TextureStore;
  let references: TextureReferenceRepository;
  let discarded: DiscardedBlobRepository;
  let owner: pg.Client;
  /** References in use, with which the catalog replies if they are requested. */
  let used: TextureReference[];
  /** Runs during the call of the catalog. */
  let duringCall: () => Promise<void>;

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
    duringCall = () => Promise.resolve();
  });
  afterEach(async () => {
    await owner.end();
    await db.close();
    await rm(folder, { recursive: true });
  });

  const newSweep = (): TextureSweeper => {
    const call = async (_: string, { references: requested }: { references: TextureReference[] }) => {
      await duringCall();
      return requested.filter(({ userId, hash }) => used.some((it) => it.userId === userId && it.hash === hash));
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
  const expireGracePeriod = () =>
    db.database.query(`update texture_references set check_at = now() - interval '1 minute'`);
  const bytesStored = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const key of blobs.list('textures')) found.push((await blobs.get(key))!.toString());
    return found.sort();
  };
  /** Returns the bytes of all textures with a row; undefined for a missing blob. */
  const bytesOfRows = async (): Promise<(string | undefined)[]> => {
    const rows = await db.database.query<{ hash: string }>('select hash from textures');
    const found = rows.map(async ({ hash }) => {
      const { key } = (await new TextureRepository(db.database).find(hash))!;
      return (await blobs.get(key))?.toString();
    });
    return (await Promise.all(found)).sort();
  };
  const countRows = async (table: string) => (await db.database.query<object>(`select from ${table}`)).length;

  it('deletes unused textures with their bytes after the grace period, not earlier', async () => {
    await upload(aya, 'cat');
    await upload(aya, 'dog');
    used = [{ userId: aya, hash: textureOf('dog').hash }];
    await newSweep().sweep();
    expect(await bytesStored()).toEqual(['cat', 'dog']);
    await expireGracePeriod();
    expect(await newSweep().sweep()).toBe(1);
    expect(await bytesStored()).toEqual(['dog']);
    expect(await bytesOfRows()).toEqual(['dog']);
    expect(await countRows('discarded_blobs')).toBe(0);
  });

  it('does not delete a texture while another user uses the same bytes', async () => {
    await upload(aya, 'cat');
    await upload(ben, 'cat');
    used = [{ userId: ben, hash: textureOf('cat').hash }];
    await expireGracePeriod();
    await newSweep().sweep();
    expect(await bytesStored()).toEqual(['cat']);
    expect(await countRows('texture_references')).toBe(1);
  });

  it('does not delete a texture that is uploaded again during the call of the catalog', async () => {
    await upload(aya, 'cat');
    await expireGracePeriod();
    duringCall = () => store.add(aya, [storable('cat', true)]);
    await newSweep().sweep();
    expect(await bytesOfRows()).toEqual(['cat']);
  });

  it('waits for an uncommitted new reference, and does not delete its texture', async () => {
    await upload(aya, 'cat');
    await expireGracePeriod();
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
    expect(await countRows('texture_references')).toBe(1);
  });

  it('stores a texture again that was deleted between its lookup and the new reference', async () => {
    await upload(aya, 'cat');
    await expireGracePeriod();
    await newSweep().sweep();
    expect(await bytesStored()).toEqual([]);
    await store.add(ben, [storable('cat', true)]);
    expect(await bytesOfRows()).toEqual(['cat']);
  });

  it('stores the same bytes under another key, so that a late deletion does not affect them', async () => {
    await upload(aya, 'cat');
    await expireGracePeriod();
    const claimed = await references.claim();
    await references.remove(claimed);
    await upload(ben, 'cat');
    await discarded.delete(1);
    expect(await bytesStored()).toEqual(['cat']);
    expect(await bytesOfRows()).toEqual(['cat']);
  });

  it('deletes the unused textures and no others with two replicas and concurrent uploads of the same bytes', async () => {
    const words = Array.from({ length: 60 }, (_, n) => `image ${n}`);
    for (const word of words) await upload(aya, word);
    await expireGracePeriod();
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

  it('stores a texture once when two requests store the same bytes concurrently', async () => {
    await Promise.all([upload(aya, 'cat'), upload(ben, 'cat'), upload(aya, 'cat')]);
    expect(await bytesStored()).toEqual(['cat']);
    expect(await countRows('texture_references')).toBe(2);
    expect(await countRows('discarded_blobs')).toBe(0);
  });

  it('deletes stored bytes without a row', async () => {
    const key = `textures/${textureOf('cat').hash}.0123456789abcdef`;
    await new TextureRepository(db.database).announce([key]);
    await blobs.put(key, Buffer.from('cat'));
    await newSweep().sweep();
    expect(await bytesStored()).toEqual(['cat']);
    await db.database.query('update discarded_blobs set delete_at = now()');
    await newSweep().sweep();
    expect(await bytesStored()).toEqual([]);
  });

  it('deletes no texture during a backup', async () => {
    await upload(aya, 'cat');
    await expireGracePeriod();
    await owner.query(takeBackupLock);
    await newSweep().sweep();
    expect(await bytesStored()).toEqual(['cat']);
    await owner.query('select pg_advisory_unlock_all()');
    await newSweep().sweep();
    expect(await bytesStored()).toEqual([]);
  });

  it('does not delete textures of the previous version while any user uses them', async () => {
    const texture = textureOf('cat');
    await addTexture(db.database, texture);
    await blobs.put(`textures/${texture.hash}`, Buffer.from('cat'));
    used = [{ userId: 0, hash: texture.hash }];
    await expireGracePeriod();
    await newSweep().sweep();
    expect(await bytesOfRows()).toEqual(['cat']);
    used = [];
    await new TextureRepository(db.database).scheduleCheck(aya, [texture.hash]);
    await expireGracePeriod();
    await newSweep().sweep();
    expect(await bytesStored()).toEqual([]);
  });

  describe('with textures that the previous version stores concurrently', () => {
    const blobOfHash = () => `textures/${textureOf('cat').hash}`;
    const storeAsPreviousVersion = async () => {
      await blobs.put(blobOfHash(), Buffer.from('cat'));
      await addTexture(db.database, textureOf('cat'));
    };
    const useByAnyUser = () => (used = [{ userId: 0, hash: textureOf('cat').hash }]);

    it('does not delete a texture while any user uses it, although its own user does not', async () => {
      await upload(aya, 'cat');
      await storeAsPreviousVersion();
      useByAnyUser();
      await expireGracePeriod();
      await newSweep().sweep();
      expect(await bytesOfRows()).toEqual(['cat']);
      await newSweep().deleteAllOf(aya);
      expect(await bytesOfRows()).toEqual(['cat']);
      used = [];
      await expireGracePeriod();
      await db.database.query('update discarded_blobs set delete_at = now()');
      await newSweep().sweep();
      expect(await bytesStored()).toEqual([]);
    });

    it('adds a reference of user 0 when this version adds the same bytes concurrently', async () => {
      const { hash } = textureOf('cat');
      await owner.query('begin');
      await owner.query(
        `insert into rendering.textures (hash, format, width, height, bytes, blob_key)
         values ($1, 'png', 10, 10, 3, 'textures/' || $1 || '.0123456789abcdef')`,
        [hash],
      );
      const stored = storeAsPreviousVersion();
      await eventually('its insert waits', async () => {
        const waiting = await db.database.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return waiting.length === 1;
      });
      await owner.query('commit');
      await stored;
      const references = await db.database.query('select user_id, hash from texture_references');
      expect(references).toEqual([{ user_id: 0, hash }]);
    });

    it('cancels a due deletion of their bytes, and rejects them once the deletion has started', async () => {
      await storeAsPreviousVersion();
      await expireGracePeriod();
      await references.remove(await references.claim());
      await storeAsPreviousVersion();
      expect(await countRows('discarded_blobs')).toBe(0);
      await expireGracePeriod();
      await references.remove(await references.claim());
      await db.database.query('update discarded_blobs set claimed = true');
      await expect(storeAsPreviousVersion()).rejects.toThrow(/being deleted/);
      expect(await countRows('textures')).toBe(0);
    });
  });

  it('deletes textures of a deleted user immediately, except those of other users', async () => {
    for (const word of ['cat', 'dog', 'owl']) await upload(aya, word);
    await upload(ben, 'dog');
    expect(await bytesStored()).toEqual(['cat', 'dog', 'owl']);
    await newSweep().deleteAllOf(aya);
    expect(await bytesStored()).toEqual(['dog']);
    expect(await bytesOfRows()).toEqual(['dog']);
    await newSweep().deleteAllOf(aya);
    await expect(upload(aya, 'fox')).rejects.toMatchObject({ kind: problems['user.not-found'] });
    expect(await bytesStored()).toEqual(['dog']);
    expect(await countRows('discarded_blobs')).toBe(0);
  });

  it('deletes textures of a deleted user in the retry after a failure of the blob store', async () => {
    await upload(aya, 'cat');
    const deleteBlob = blobs.delete.bind(blobs);
    blobs.delete = () => Promise.reject(new Error('unavailable'));
    await expect(newSweep().deleteAllOf(aya)).rejects.toThrow('unavailable');
    blobs.delete = deleteBlob;
    await newSweep().deleteAllOf(aya);
    expect(await bytesStored()).toEqual([]);
  });

  it('deletes textures of a deleted user when the event is repeated after the end of its worker', async () => {
    await upload(aya, 'cat');
    const deleteBlob = blobs.delete.bind(blobs);
    const hasStarted = new Promise<void>((resolve) => {
      blobs.delete = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    void newSweep().deleteAllOf(aya);
    await hasStarted;
    blobs.delete = deleteBlob;
    await newSweep().deleteAllOf(aya);
    expect(await bytesStored()).toEqual([]);
    expect(await countRows('discarded_blobs')).toBe(0);
  });

  it('does not delete a claimed key of the previous version, which writes its keys again', async () => {
    const [old, own] = ['', '.0123456789abcdef'].map((end) => `textures/${textureOf('cat').hash}${end}`);
    for (const key of [old!, own!]) {
      await blobs.put(key, Buffer.from(key));
      await db.database.query(`insert into discarded_blobs values ($1, now() + interval '10 minutes', true)`, [key]);
    }
    await newSweep().deleteAllOf(aya);
    expect(await bytesStored()).toEqual([old]);
  });

  it('does not delete textures of this version after the documented rollback to the previous one', async () => {
    const operations = await readFile(projectPath('docs/operations.md'), 'utf8');
    const [rollback] = /begin;[^;]+rendering[^`]+commit;/.exec(operations)!;
    const { hash } = textureOf('cat');
    await upload(aya, 'cat');
    await blobs.put(`textures/${hash}`, Buffer.from('cat'));
    await db.database.query('insert into discarded_blobs values ($1, now(), true)', [`textures/${hash}`]);
    await owner.query(rollback);
    expect(await db.database.query('select blob_key from textures')).toEqual([{ blob_key: null }]);
    // A user of the previous version has the same image: its row exists, so that nothing is written
    used = [{ userId: 0, hash }];
    await newSweep().deleteAllOf(aya);
    await expireGracePeriod();
    await db.database.query('update discarded_blobs set delete_at = now()');
    await newSweep().sweep();
    expect(await bytesOfRows()).toEqual(['cat']);
    expect(await bytesStored()).toEqual(['cat']);
    expect(await countRows('discarded_blobs')).toBe(0);
  });

  describe('with a quota', () => {
    const limited = () => textureStore(db.database, blobs, 10);
    const store = (userId: number, ...images: string[]) =>
      limited().add(
        userId,
        images.map((it) => storable(it)),
      );

    it('accepts one of two concurrent uploads for the last bytes, and stores nothing of the other', async () => {
      await owner.query('begin');
      // Both uploads contain this texture, so that they wait for its row and run concurrently
      await owner.query(
        `insert into rendering.textures (hash, format, width, height, bytes) values ($1, 'png', 10, 10, 1)`,
        [textureOf('x').hash],
      );
      const uploads = Promise.allSettled([store(aya, 'x', 'word1'), store(aya, 'x', 'word2')]);
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
      expect(await countRows('texture_references')).toBe(2);
      expect(await countRows('discarded_blobs')).toBe(0);
    });

    it('counts the same bytes for each of two users, but only once per user', async () => {
      await store(aya, '1234567890');
      await store(aya, '1234567890');
      await store(ben, '1234567890');
      await expect(store(ben, '1')).rejects.toMatchObject({
        ...quotaExceeded,
        detail: expect.stringContaining('10 of 10 bytes are used, and 1 more are needed'),
        hashes: [textureOf('1').hash],
      });
    });

    it('stores all textures or none, and lists those that exceed the quota', async () => {
      await expect(store(aya, '12345', '1234', 'ab', 'c')).rejects.toMatchObject({
        hashes: [textureOf('ab').hash, textureOf('c').hash],
      });
      expect(await bytesStored()).toEqual([]);
      expect(await countRows('texture_references')).toBe(0);
    });

    it('releases the bytes of unused textures in the sweep', async () => {
      await store(aya, '1234567890');
      await expect(store(aya, '1')).rejects.toMatchObject(quotaExceeded);
      await expireGracePeriod();
      await newSweep().sweep();
      await store(aya, '1');
      expect(await bytesStored()).toEqual(['1']);
    });
  });
});
