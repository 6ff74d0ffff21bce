import { type FileHandle, mkdtemp, open, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { FolderBlobStore } from './folder-blob-store.js';

// The tests that run with every blob store are in blob-store.medium.spec.ts
describe('FolderBlobStore', () => {
  let folder: string;
  let store: FolderBlobStore;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blobs-'));
    store = new FolderBlobStore(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('writes chunks as they arrive', async () => {
    let written = 0;
    async function* chunks(): AsyncGenerator<Buffer> {
      for (const chunk of ['one ', 'two ', 'three']) {
        const [partial] = await readdir(join(folder, '.partial'));
        expect((await readFile(join(folder, '.partial', partial!))).length).toBe(written);
        written += chunk.length;
        yield Buffer.from(chunk);
      }
    }
    await store.put('textures/chunks', chunks());
    expect((await store.get('textures/chunks'))?.toString()).toBe('one two three');
  });

  it('has no partial files after concurrent writes', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => store.put('same', Buffer.from(String(i)))));
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
  });

  it('deletes only partial files older than the given time', async () => {
    await store.put('stored', Buffer.from('x'));
    const partials = join(folder, '.partial');
    for (const name of ['old', 'new']) await writeFile(join(partials, name), 'x');
    const then = new Date(Date.now() - 60_000);
    for (const path of [join(partials, 'old'), join(folder, 'stored')]) await utimes(path, then, then);
    expect(await store.deletePartials(new Date(Date.now() - 30_000))).toBe(1);
    expect(await readdir(partials)).toEqual(['new']);
    expect(await store.has('stored')).toBe(true);
  });

  it('creates folders and files for the owner only, even with umask 0', async () => {
    const before = process.umask(0);
    const root = join(folder, 'own');
    try {
      const own = new FolderBlobStore(root);
      await own.putTemporary('uploads/one', Buffer.from('x'));
      await own.put('textures/a/b', Buffer.from('x'));
      await own.move('uploads/one', 'images/c/d');
    } finally {
      process.umask(before);
    }
    const modes = await Promise.all(
      ['', ...(await readdir(root, { recursive: true }))].map(async (name) => {
        const found = await stat(join(root, name));
        return [name, found.isDirectory() ? 0o700 : 0o600, found.mode & 0o777] as const;
      }),
    );
    expect(modes.length).toBeGreaterThan(8);
    for (const [name, expected, mode] of modes) expect([name, mode]).toEqual([name, expected]);
  });

  it('flushes file and folder of a blob, only the file of a temporary one, and the folder after it is moved', async () => {
    const handle = await open(folder);
    const sync = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
    await handle.close();
    const flushesOf = async (work: Promise<unknown>): Promise<number> => {
      sync.mockClear();
      await work;
      return sync.mock.calls.length;
    };
    try {
      expect(await flushesOf(store.put('textures/flushed', Buffer.from('x')))).toBe(2);
      expect(await flushesOf(store.putTemporary('uploads/flushed', Buffer.from('x')))).toBe(1);
      expect(await flushesOf(store.move('uploads/flushed', 'textures/moved'))).toBe(1);
    } finally {
      sync.mockRestore();
    }
  });

  it('writes a temporary blob under its name', async () => {
    const own = new FolderBlobStore(join(folder, 'direct'));
    await own.putTemporary('uploads/one', Buffer.from('x'));
    expect(await readdir(join(folder, 'direct'), { recursive: true })).toEqual(['uploads', 'uploads/one']);
  });

  it('deletePartials returns 0 before the first write', async () => {
    const empty = new FolderBlobStore(join(folder, 'none'));
    expect(await empty.deletePartials(new Date())).toBe(0);
  });

  it('provides the path of the stored file without a copy', async () => {
    await store.put('textures/file', Buffer.from('x'));
    expect(await store.withFile('textures/file', (path) => Promise.resolve(path))).toBe(join(folder, 'textures/file'));
  });
});
