import { chmod, lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstUsable } from './cache-folder.js';

describe('the cache folder', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-cache-test-'));
    await writeFile(join(folder, 'file'), '');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is the next candidate if the first cannot be created', async () => {
    const second = join(folder, 'second');
    expect(await firstUsable([join(folder, 'file', 'cache'), '/proc/nowhere/cache', second])).toBe(second);
    expect((await lstat(second)).isDirectory()).toBe(true);
  });

  it('is never writable for other users', async () => {
    const open = join(folder, 'open');
    await firstUsable([open]);
    await chmod(open, 0o777);
    await expect(firstUsable([open])).rejects.toThrow(/^The cache folder .*open can be written by other users/);
    expect(await firstUsable([open, join(folder, 'own')])).toBe(join(folder, 'own'));
  });

  it('that cannot be created is reported in one line', async () => {
    const start = firstUsable([join(folder, 'file', 'cache')]);
    await expect(start).rejects.toMatchObject({
      name: 'StartFailure',
      message: `The cache folder ${folder}/file/cache cannot be written (ENOTDIR).`,
    });
  });
});
