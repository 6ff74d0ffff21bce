import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseS3Url } from '#config';
import { TestS3 } from '#testing';
import { type BlobStore, BlobTooLarge } from './blob-store.js';
import { openBlobStore } from './open-blob-store.js';
import { S3BlobStore } from './s3-blob-store.js';

/** Long timeouts: the S3 server runs in this process, which may be paused. */
const longTimeouts = { connect: 50_000, response: 50_000, call: 50_000, idle: 50_000 };
const pageLength = 10;

/** One byte more than two S3 parts. Adjacent bytes differ, so that shifted content is detected. */
const large = Buffer.alloc(2 * 5 * 1024 ** 2 + 1, 'a long blob ');

interface Fixture {
  readonly store: BlobStore;
  close(): Promise<void>;
}

async function openFolder(): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'blobs-'));
  return { store: openBlobStore(pathToFileURL(folder).href), close: () => rm(folder, { recursive: true }) };
}

async function openBucket(): Promise<Fixture> {
  const [s3, folder] = [await TestS3.start(), await mkdtemp(join(tmpdir(), 'copies-'))];
  s3.pageLength = pageLength;
  const keys = { accessKeyId: s3.credentials.AWS_ACCESS_KEY_ID, secretAccessKey: s3.credentials.AWS_SECRET_ACCESS_KEY };
  return {
    // A folder of its own: the tests of deletePartials must not delete files of parallel tests
    store: new S3BlobStore(parseS3Url(s3.url), keys, longTimeouts, folder),
    close: async () => {
      await s3.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Yields the bytes in chunks of the given length. */
async function* inChunks(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
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
  ['a folder', openFolder],
  ['a bucket', openBucket],
])('a blob store in %s', (_, open) => {
  let fixture: Fixture;
  let store: BlobStore;

  beforeAll(async () => {
    fixture = await open();
    ({ store } = fixture);
  });
  afterAll(() => fixture.close());

  it('returns the stored bytes, their size and modification time', async () => {
    const before = Date.now();
    await store.put('textures/abc', Buffer.from('hello'));
    expect((await store.get('textures/abc'))?.toString()).toBe('hello');
    const { size, modifiedAt } = (await store.stat('textures/abc'))!;
    expect(size).toBe(5);
    // S3 has a resolution of one second
    expect(modifiedAt.getTime()).toBeGreaterThan(before - 2_000);
    expect(modifiedAt.getTime()).toBeLessThan(Date.now() + 2_000);
  });

  it('assigns different versions to different bytes of the same length', async () => {
    const versions = new Set<string>();
    for (const text of ['one', 'two', 'six']) {
      await store.put('versioned', Buffer.from(text));
      const { bytes, version } = (await store.getVersioned('versioned'))!;
      expect([bytes.toString(), (await store.stat('versioned'))!.version]).toEqual([text, version]);
      versions.add(version);
    }
    expect(versions.size).toBe(3);
  });

  it.each([
    ['an empty blob', Buffer.alloc(0)],
    ['an empty blob without chunks', []],
    ['chunks', [Buffer.from('one '), Buffer.from('two')]],
    ['exactly one part', large.subarray(0, 5 * 1024 ** 2)],
    ['many parts', large],
  ])('stores %s', async (_name, bytes) => {
    await store.put('any-size', bytes);
    expect((await store.get('any-size'))?.equals(Buffer.concat([bytes].flat()))).toBe(true);
  });

  it.each([11_000, 7_000_000])('stores a large blob from a stream of chunks of %i bytes', async (length) => {
    await store.put('streamed', inChunks(large, length));
    expect((await store.get('streamed'))?.equals(large)).toBe(true);
  });

  it('retains the old blob if the stream fails', async () => {
    async function* broken(bytes: Buffer): AsyncGenerator<Buffer> {
      yield* inChunks(bytes, 1_000_000);
      throw new Error('stream failed');
    }
    await store.put('textures/stored', Buffer.from('old'));
    for (const bytes of [Buffer.from('new'), large])
      await expect(store.put('textures/stored', broken(bytes))).rejects.toThrow('stream failed');
    expect((await store.get('textures/stored'))?.toString()).toBe('old');
    expect(await store.deletePartials(new Date(Date.now() + 60_000))).toBe(0);
  });

  it.each([
    ['bytes', [Buffer.from('new')]],
    ['a stream', inChunks(Buffer.from('new'), 1)],
  ])('writes %s temporarily, and moves them', async (name, bytes) => {
    const key = `temporary/${name.replace(' ', '-')}`;
    await store.putTemporary(key, bytes);
    expect((await store.get(key))?.toString()).toBe('new');
    expect(await store.move(key, 'textures/moved')).toBe(true);
    expect((await store.get('textures/moved'))?.toString()).toBe('new');
    expect(await store.has(key)).toBe(false);
  });

  it('stores nothing temporarily if the stream fails', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield* inChunks(Buffer.from('new'), 1);
      throw new Error('stream failed');
    }
    await expect(store.putTemporary('temporary/broken', broken())).rejects.toThrow('stream failed');
    expect(await store.has('temporary/broken')).toBe(false);
  });

  it('streams a blob in chunks', async () => {
    await store.put('streamed', large);
    const chunks: Buffer[] = [];
    for await (const chunk of (await store.read('streamed'))!) chunks.push(chunk as Buffer);
    expect(chunks.length).toBeGreaterThan(10);
    expect(Buffer.concat(chunks).equals(large)).toBe(true);
  });

  it('returns null for a missing key, and for a key with blobs below it', async () => {
    const used: string[] = [];
    const use = (path: string) => Promise.resolve(used.push(path));
    await store.put('deep/er/blob', Buffer.from('x'));
    for (const key of ['none', 'deep', 'deep/er', 'deep/er/blob/below']) {
      expect(await store.get(key)).toBeNull();
      expect(await store.read(key)).toBeNull();
      expect(await store.stat(key)).toBeNull();
      expect(await store.has(key)).toBe(false);
      expect(await store.withFile(key, use)).toBeNull();
    }
    expect(used).toEqual([]);
  });

  it('provides a blob as a file with its size, and passes on errors of the callback', async () => {
    await store.put('textures/file', large);
    const read = store.withFile('textures/file', async (path, size) => [(await readFile(path)).equals(large), size]);
    expect(await read).toEqual([true, large.length]);
    await expect(store.withFile('textures/file', () => Promise.reject(new Error('callback failed')))).rejects.toThrow(
      'callback failed',
    );
  });

  it('provides a blob of the maximum size as a file, and rejects a larger one', async () => {
    await store.put('textures/file', large);
    const sizeOf = (maxBytes: number) =>
      store.withFile('textures/file', (_path, size) => Promise.resolve(size), maxBytes);
    await expect(sizeOf(large.length)).resolves.toBe(large.length);
    await expect(sizeOf(large.length - 1)).rejects.toEqual(new BlobTooLarge(large.length));
  });

  it('moves a blob over another one, and returns false for a missing blob', async () => {
    await store.put('moved/from', Buffer.from('new'));
    await store.put('moved/to', Buffer.from('old'));
    await expect(store.move('moved/from', 'moved/to')).resolves.toBe(true);
    expect((await store.get('moved/to'))?.toString()).toBe('new');
    await expect(store.has('moved/from')).resolves.toBe(false);
    await expect(store.move('moved/from', 'elsewhere/to')).resolves.toBe(false);
    await expect(store.has('elsewhere/to')).resolves.toBe(false);
  });

  it('deletes a blob, and ignores a missing one', async () => {
    await store.put('removed', Buffer.from('x'));
    for (let attempt = 0; attempt < 2; attempt++) await store.delete('removed');
    expect(await store.has('removed')).toBe(false);
  });

  it('deletes everything below a prefix and nothing else', async () => {
    for (const key of ['images/12/a', 'images/12/b/c', 'images/123/a']) await store.put(key, Buffer.from('x'));
    await store.deletePrefix('images/12');
    await store.deletePrefix('images/none');
    expect(await keysOf(store.list('images'))).toEqual(['images/123/a']);
    expect(await keysOf(store.list('images/12'))).toEqual([]);
  });

  it('lists and deletes more blobs than a page of a bucket contains', async () => {
    const keys = Array.from({ length: 2 * pageLength + 5 }, (_unused, n) => `many/${n % 7}/${n}`);
    for (const key of keys) await store.put(key, Buffer.from(key));
    expect(await keysOf(store.list('many'))).toEqual([...keys].sort());
    const sizes = new Map<string, number>();
    for await (const { key, size, modifiedAt } of store.listStats('many'))
      sizes.set(key, modifiedAt.getTime() > Date.now() - 600_000 ? size : NaN);
    expect(sizes).toEqual(new Map(keys.map((key) => [key, key.length])));
    await store.deletePrefix('many');
    expect(await keysOf(store.list('many'))).toEqual([]);
  });

  it.each(['../escape', 'a/../b', '/root', 'a//b', '', 'a\0b', '.hidden', 'a/.partial', 'a\\b', 'x'.repeat(513)])(
    'rejects the key %j',
    async (key) => {
      const use = () => Promise.resolve();
      const calls = [
        ...[store.put(key, Buffer.from('x')), store.putTemporary(key, Buffer.from('x'))],
        ...[store.get(key), store.read(key), store.stat(key), store.withFile(key, use), store.delete(key)],
        ...[store.move(key, 'fine'), store.move('fine', key), store.deletePrefix(key), keysOf(store.list(key))],
      ];
      for (const call of calls) await expect(call).rejects.toThrow(TypeError);
    },
  );

  it('stores one complete blob of concurrent writes', async () => {
    await Promise.all(Array.from({ length: 20 }, (_unused, i) => store.put('same', Buffer.from(String(i)))));
    expect((await store.get('same'))?.toString()).toMatch(/^1?\d$/);
    expect(await store.deletePartials(new Date(Date.now() + 60_000))).toBe(0);
  });
});
