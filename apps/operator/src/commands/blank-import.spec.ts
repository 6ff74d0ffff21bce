import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blanksFolder } from '#blanks';
import { type ImportedBundle } from '#contracts';
import { FolderBlobStore } from '#storage';
import { blank } from './blank.js';

describe('blank import', () => {
  const before = { ...process.env };
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'blank-import-'));
    Object.assign(process.env, {
      BLOB_STORE_URL: pathToFileURL(folder).href,
      // Required, and not used by the command
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_JOBS_URL: 'redis://127.0.0.1:1',
    });
  });
  afterEach(() => {
    process.env = before;
    rmSync(folder, { recursive: true });
  });

  it('stores the blobs again that a sweep has deleted before the item used them', async () => {
    const blobs = new FolderBlobStore(folder);
    const item = { id: 7, name: 'mug', version: 1, enabled: true, variants: 4, products: 0 };
    let used: ImportedBundle['blobs'] = [];
    const call = async (_: string, bundle: ImportedBundle) => {
      used = bundle.blobs;
      for (const { key } of used) await blobs.delete(key);
      return { item, changed: true };
    };
    await blank['import']!.run({ of: () => ({ call }) } as never, { path: join(blanksFolder, 'items/mug') });
    expect(used).toHaveLength(3);
    for (const { key, bytes } of used) expect((await blobs.stat(key))?.size).toBe(bytes);
  });
});
