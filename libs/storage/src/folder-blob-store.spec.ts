import { mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from './folder-blob-store.js';

// What every blob store does is in blob-store.medium.spec.ts
describe('a folder of blobs', () => {
  let folder: string;
  let store: FolderBlobStore;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blobs-'));
    store = new FolderBlobStore(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

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

  it('is for its owner only, whatever the process masks', async () => {
    const before = process.umask(0);
    const root = join(folder, 'own');
    try {
      const own = new FolderBlobStore(root);
      await own.put('uploads/one', Buffer.from('x'));
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
    for (const [name, wanted, mode] of modes) expect([name, mode]).toEqual([name, wanted]);
  });

  it('has no partial file to remove before the first blob', async () => {
    const empty = new FolderBlobStore(join(folder, 'none'));
    expect(await empty.deletePartials(new Date())).toBe(0);
  });

  it('lets a blob be read where it lies', async () => {
    await store.put('textures/file', Buffer.from('x'));
    expect(await store.withFile('textures/file', (path) => Promise.resolve(path))).toBe(join(folder, 'textures/file'));
  });
});
