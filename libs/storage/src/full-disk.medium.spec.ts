import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from './folder-blob-store.js';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'full-disk-'));
const mount = (folder: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
const unmount = (folder: string) => execFileSync('umount', [folder]);

/** Returns true if this process can mount: only root on Linux can, and not in every container. */
function canMount(): boolean {
  const folder = newFolder();
  try {
    mount(folder);
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

const isTested = canMount();
if (!isTested && process.env.REQUIRE_MOUNT === '1')
  throw new Error('REQUIRE_MOUNT=1 is set, but no small disk can be mounted');
if (!isTested) console.warn('SKIPPED: a full blob store. No small disk can be mounted.');

(isTested ? describe : describe.skip)('a full blob store', () => {
  const full = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '5' } };
  const large = Buffer.alloc(2 * 1024 ** 2, 'x');
  let folder: string;
  let store: FolderBlobStore;

  beforeAll(() => {
    folder = newFolder();
    mount(folder);
    store = new FolderBlobStore(folder);
  });

  afterAll(() => {
    unmount(folder);
    rmdirSync(folder);
  });

  it('rejects writes with service.unavailable and Retry-After, without changing stored blobs or adding partial files', async () => {
    await store.put('textures/stored', Buffer.from('old'));
    await expect(store.put('textures/stored', large)).rejects.toMatchObject(full);
    await expect(store.put('textures/new', large)).rejects.toMatchObject(full);
    await expect(store.putTemporary('uploads/new', large)).rejects.toMatchObject(full);
    expect(await store.has('uploads/new')).toBe(false);
    expect((await store.get('textures/stored'))?.toString()).toBe('old');
    expect(await store.has('textures/new')).toBe(false);
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
  });

  it('accepts blobs again when there is free space', async () => {
    const ballast = join(folder, '.ballast');
    await expect(writeFile(ballast, large)).rejects.toThrow('ENOSPC');
    await expect(store.put('textures/new', Buffer.from('new'))).rejects.toMatchObject(full);
    await rm(ballast);
    await store.put('textures/new', Buffer.from('new'));
    expect((await store.get('textures/new'))?.toString()).toBe('new');
  });
});
