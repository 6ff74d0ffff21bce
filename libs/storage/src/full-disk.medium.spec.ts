import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FolderBlobStore } from './folder-blob-store.js';

const call = promisify(execFile);

describe('a full blob store', () => {
  const full = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '5' } };
  const large = Buffer.alloc(2 * 1024 ** 2, 'x');
  let folder: string;
  let isMounted = false;
  let store: FolderBlobStore;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
    store = new FolderBlobStore(folder);
    isMounted = await call('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).then(
      () => true,
      () => false,
    );
    // Only root may mount on Linux
    if (!isMounted) console.warn('NOT TESTED: a full blob store. No small disk could be mounted.');
  });

  afterAll(async () => {
    if (isMounted) await call('umount', [folder]);
    await rmdir(folder);
  });

  it('is no defect of the request: it says to come again, keeps what there is, and leaves nothing half', async () => {
    if (!isMounted) return;
    await store.put('textures/kept', Buffer.from('old'));
    await expect(store.put('textures/kept', large)).rejects.toMatchObject(full);
    await expect(store.put('textures/new', large)).rejects.toMatchObject(full);
    expect((await store.get('textures/kept'))?.toString()).toBe('old');
    expect(await store.has('textures/new')).toBe(false);
    expect(await readdir(join(folder, '.partial'))).toEqual([]);
  });

  it('takes blobs again when there is room', async () => {
    if (!isMounted) return;
    const ballast = join(folder, '.ballast');
    await expect(writeFile(ballast, large)).rejects.toThrow('ENOSPC');
    await expect(store.put('textures/new', Buffer.from('new'))).rejects.toMatchObject(full);
    await rm(ballast);
    await store.put('textures/new', Buffer.from('new'));
    expect((await store.get('textures/new'))?.toString()).toBe('new');
  });
});
