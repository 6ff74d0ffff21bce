import { mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type FolderBlobStore, openBlobStore } from './folder-blob-store.js';

describe('FolderBlobStore', () => {
  let folder: string;
  let store: FolderBlobStore;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blobs-'));
    store = openBlobStore(pathToFileURL(folder).href);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('gives back what was put', async () => {
    await store.put('textures/abc', Buffer.from('hello'));
    expect((await store.get('textures/abc'))?.toString()).toBe('hello');
    expect(await store.facts('textures/abc')).toMatchObject({ size: 5 });
  });

  it('writes pieces as they come', async () => {
    let written = 0;
    async function* pieces(): AsyncGenerator<Buffer> {
      for (const piece of ['one ', 'two ', 'three']) {
        const [partial] = await readdir(join(folder, '.partial'));
        expect((await readFile(join(folder, '.partial', partial!))).length).toBe(written);
        written += piece.length;
        yield Buffer.from(piece);
      }
    }
    await store.put('textures/pieces', pieces());
    expect((await store.get('textures/pieces'))?.toString()).toBe('one two three');
  });

  it('keeps the blob that there is, and nothing else, when pieces stop with an error', async () => {
    async function* pieces(): AsyncGenerator<Buffer> {
      yield Buffer.from('new');
      await Promise.reject(new Error('broken off'));
    }
    await store.put('textures/kept', Buffer.from('old'));
    await expect(store.put('textures/kept', pieces())).rejects.toThrow('broken off');
    expect((await store.get('textures/kept'))?.toString()).toBe('old');
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
  });

  it('answers null for what is not there, and for a folder', async () => {
    expect(await store.get('textures/none')).toBeNull();
    expect(await store.facts('textures/none')).toBeNull();
    await store.put('deep/er/blob', Buffer.from('x'));
    expect(await store.get('deep/er')).toBeNull();
    expect(await store.facts('deep/er')).toBeNull();
    expect(await store.get('deep/er/blob/below')).toBeNull();
  });

  it('says where a blob lies, for another process to read', async () => {
    await store.put('textures/file', Buffer.from('hello'));
    expect(await readFile((await store.file('textures/file'))!, 'utf8')).toBe('hello');
    expect(await store.file('textures/none')).toBeNull();
  });

  it('moves a blob over another one, and says when there is none', async () => {
    await store.put('moved/from', Buffer.from('new'));
    await store.put('moved/to', Buffer.from('old'));
    await expect(store.move('moved/from', 'moved/to')).resolves.toBe(true);
    expect((await store.get('moved/to'))?.toString()).toBe('new');
    await expect(store.move('moved/from', 'elsewhere/to')).resolves.toBe(false);
    await expect(store.has('elsewhere/to')).resolves.toBe(false);
  });

  it('removes everything below a prefix and nothing beside it', async () => {
    for (const key of ['pictures/12/a', 'pictures/12/b/c', 'pictures/123/a']) await store.put(key, Buffer.from('x'));
    await store.deleteBelow('pictures/12');
    const left = [];
    for await (const key of store.below('pictures')) left.push(key);
    expect(left).toEqual(['pictures/123/a']);
  });

  it.each(['../escape', 'a/../b', '/root', 'a//b', '', 'a\0b', '.hidden', 'a/.partial', 'a\\b', 'x'.repeat(513)])(
    'refuses the key %j',
    async (key) => {
      await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(TypeError);
      await expect(store.get(key)).rejects.toThrow(TypeError);
    },
  );

  it('leaves no partial file behind', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => store.put('same', Buffer.from(String(i)))));
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
  });

  it('removes partial files of before a point in time, and no blob', async () => {
    await store.put('kept', Buffer.from('x'));
    const partials = join(folder, '.partial');
    for (const name of ['old', 'new']) await writeFile(join(partials, name), 'x');
    const then = new Date(Date.now() - 60_000);
    for (const path of [join(partials, 'old'), join(folder, 'kept')]) await utimes(path, then, then);
    expect(await store.deletePartials(new Date(Date.now() - 30_000))).toBe(1);
    expect(await readdir(partials)).toEqual(['new']);
    expect(await store.has('kept')).toBe(true);
  });

  it('has no partial file to remove before the first blob', async () => {
    const empty = openBlobStore(pathToFileURL(join(folder, 'none')).href);
    expect(await empty.deletePartials(new Date())).toBe(0);
  });
});
