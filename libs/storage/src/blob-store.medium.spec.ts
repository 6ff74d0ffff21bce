import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseS3Url } from '#config';
import { TestS3 } from '#testing';
import type { BlobStore } from './blob-store.js';
import { openBlobStore } from './open-blob-store.js';
import { S3BlobStore } from './s3-blob-store.js';

/** No test is about a timeout: the S3 server runs in this process, which may be paused. */
const patient = { connect: 50_000, answer: 50_000, call: 50_000, idle: 50_000 };
const pageLength = 10;

/** One more than two parts of S3, and no two bytes in a row alike. */
const large = Buffer.alloc(2 * 5 * 1024 ** 2 + 1, 'a long blob ');

interface Place {
  readonly store: BlobStore;
  close(): Promise<void>;
}

async function folderPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'blobs-'));
  return { store: openBlobStore(pathToFileURL(folder).href), close: () => rm(folder, { recursive: true }) };
}

async function bucketPlace(): Promise<Place> {
  const [s3, folder] = [await TestS3.start(), await mkdtemp(join(tmpdir(), 'copies-'))];
  s3.pageLength = pageLength;
  const keys = { accessKeyId: s3.credentials.AWS_ACCESS_KEY_ID, secretAccessKey: s3.credentials.AWS_SECRET_ACCESS_KEY };
  return {
    // What is swept here must not be what tests beside this one use
    store: new S3BlobStore(parseS3Url(s3.url), keys, patient, folder),
    close: async () => {
      await s3.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Pieces that come one after the other, some bytes each. */
async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) {
    await Promise.resolve();
    yield bytes.subarray(at, at + length);
  }
}

async function keysOf(listed: AsyncIterable<string>): Promise<string[]> {
  const keys = [];
  for await (const key of listed) keys.push(key);
  return keys.sort();
}

describe.each([
  ['a folder', folderPlace],
  ['a bucket', bucketPlace],
])('a blob store in %s', (_, open) => {
  let place: Place;
  let store: BlobStore;

  beforeAll(async () => {
    place = await open();
    ({ store } = place);
  });
  afterAll(() => place.close());

  it('gives back what was put, and says how long it is and when that was', async () => {
    const before = Date.now();
    await store.put('textures/abc', Buffer.from('hello'));
    expect((await store.get('textures/abc'))?.toString()).toBe('hello');
    const { size, modifiedAt } = (await store.facts('textures/abc'))!;
    expect(size).toBe(5);
    // S3 counts in seconds
    expect(modifiedAt.getTime()).toBeGreaterThan(before - 2_000);
    expect(modifiedAt.getTime()).toBeLessThan(Date.now() + 2_000);
  });

  it('names the bytes of a key: other bytes of the same length have another version', async () => {
    const versions = new Set<string>();
    for (const text of ['one', 'two', 'six']) {
      await store.put('versioned', Buffer.from(text));
      const { bytes, version } = (await store.getVersioned('versioned'))!;
      expect([bytes.toString(), (await store.facts('versioned'))!.version]).toEqual([text, version]);
      versions.add(version);
    }
    expect(versions.size).toBe(3);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['nothing, in no piece', []],
    ['pieces', [Buffer.from('one '), Buffer.from('two')]],
    ['exactly one part', large.subarray(0, 5 * 1024 ** 2)],
    ['many parts', large],
  ])('takes %s', async (_name, bytes) => {
    await store.put('taken', bytes);
    expect((await store.get('taken'))?.equals(Buffer.concat([bytes].flat()))).toBe(true);
  });

  it.each([11_000, 7_000_000])('takes a long blob in pieces as they come, of %i bytes', async (length) => {
    await store.put('streamed', inPieces(large, length));
    expect((await store.get('streamed'))?.equals(large)).toBe(true);
  });

  it('keeps the blob that there is when pieces stop with an error', async () => {
    async function* broken(bytes: Buffer): AsyncGenerator<Buffer> {
      yield* inPieces(bytes, 1_000_000);
      throw new Error('broken off');
    }
    await store.put('textures/kept', Buffer.from('old'));
    for (const bytes of [Buffer.from('new'), large])
      await expect(store.put('textures/kept', broken(bytes))).rejects.toThrow('broken off');
    expect((await store.get('textures/kept'))?.toString()).toBe('old');
    expect(await store.deletePartials(new Date(Date.now() + 60_000))).toBe(0);
  });

  it('gives a blob piece by piece', async () => {
    await store.put('streamed', large);
    const pieces: Buffer[] = [];
    for await (const piece of (await store.read('streamed'))!) pieces.push(piece as Buffer);
    expect(pieces.length).toBeGreaterThan(10);
    expect(Buffer.concat(pieces).equals(large)).toBe(true);
  });

  it('answers null for what is not there, and for what has blobs below it', async () => {
    const used: string[] = [];
    const use = (path: string) => Promise.resolve(used.push(path));
    await store.put('deep/er/blob', Buffer.from('x'));
    for (const key of ['none', 'deep', 'deep/er', 'deep/er/blob/below']) {
      expect(await store.get(key)).toBeNull();
      expect(await store.read(key)).toBeNull();
      expect(await store.facts(key)).toBeNull();
      expect(await store.has(key)).toBe(false);
      expect(await store.withFile(key, use)).toBeNull();
    }
    expect(used).toEqual([]);
  });

  it('lets another process read a blob as a file', async () => {
    await store.put('textures/file', large);
    const read = store.withFile('textures/file', async (path) => (await readFile(path)).equals(large));
    expect(await read).toBe(true);
    await expect(store.withFile('textures/file', () => Promise.reject(new Error('of the use')))).rejects.toThrow(
      'of the use',
    );
  });

  it('moves a blob over another one, and says when there is none', async () => {
    await store.put('moved/from', Buffer.from('new'));
    await store.put('moved/to', Buffer.from('old'));
    await expect(store.move('moved/from', 'moved/to')).resolves.toBe(true);
    expect((await store.get('moved/to'))?.toString()).toBe('new');
    await expect(store.has('moved/from')).resolves.toBe(false);
    await expect(store.move('moved/from', 'elsewhere/to')).resolves.toBe(false);
    await expect(store.has('elsewhere/to')).resolves.toBe(false);
  });

  it('removes one blob, and what is not there without an error', async () => {
    await store.put('removed', Buffer.from('x'));
    for (let time = 0; time < 2; time++) await store.delete('removed');
    expect(await store.has('removed')).toBe(false);
  });

  it('removes everything below a prefix and nothing beside it', async () => {
    for (const key of ['images/12/a', 'images/12/b/c', 'images/123/a']) await store.put(key, Buffer.from('x'));
    await store.deleteBelow('images/12');
    await store.deleteBelow('images/none');
    expect(await keysOf(store.below('images'))).toEqual(['images/123/a']);
    expect(await keysOf(store.below('images/12'))).toEqual([]);
  });

  it('lists and removes more than a list of a bucket holds', async () => {
    const keys = Array.from({ length: 2 * pageLength + 5 }, (_unused, n) => `many/${n % 7}/${n}`);
    for (const key of keys) await store.put(key, Buffer.from(key));
    expect(await keysOf(store.below('many'))).toEqual([...keys].sort());
    const sizes = new Map<string, number>();
    for await (const { key, size, modifiedAt } of store.factsBelow('many'))
      sizes.set(key, modifiedAt.getTime() > Date.now() - 600_000 ? size : NaN);
    expect(sizes).toEqual(new Map(keys.map((key) => [key, key.length])));
    await store.deleteBelow('many');
    expect(await keysOf(store.below('many'))).toEqual([]);
  });

  it.each(['../escape', 'a/../b', '/root', 'a//b', '', 'a\0b', '.hidden', 'a/.partial', 'a\\b', 'x'.repeat(513)])(
    'refuses the key %j',
    async (key) => {
      const use = () => Promise.resolve();
      const works = [
        store.put(key, Buffer.from('x')),
        ...[store.get(key), store.read(key), store.facts(key), store.withFile(key, use), store.delete(key)],
        ...[store.move(key, 'fine'), store.move('fine', key), store.deleteBelow(key), keysOf(store.below(key))],
      ];
      for (const work of works) await expect(work).rejects.toThrow(TypeError);
    },
  );

  it('keeps one whole blob of many that are put at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_unused, i) => store.put('same', Buffer.from(String(i)))));
    expect((await store.get('same'))?.toString()).toMatch(/^1?\d$/);
    expect(await store.deletePartials(new Date(Date.now() + 60_000))).toBe(0);
  });
});
