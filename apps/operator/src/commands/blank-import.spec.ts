import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blanksFolder } from '#blanks';
import { type ImportedBundle } from '#contracts';
import { FolderBlobStore } from '#storage';
import { type Report } from '../command-line/command.js';
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

  it('sends the same hash for other formats of item.json, and another for other content', async () => {
    const path = join(folder, 'bundle');
    cpSync(join(blanksFolder, 'items/sticker'), path, { recursive: true });
    const file = join(path, 'item.json');
    const item = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const reply = { id: 7, name: 'sticker', version: 1, enabled: true, variants: 4, products: 0 };
    let report: Report | undefined;
    const hashOf = async (content: object, indent?: number) => {
      writeFileSync(file, JSON.stringify(content, null, indent));
      let sent = '';
      const call = (_: string, { hash }: ImportedBundle) => {
        sent = hash;
        return Promise.resolve({ item: reply, changed: true, offeredAgain: true });
      };
      report = (await blank['import']!.run({ of: () => ({ call }) } as never, { path })) as Report;
      return sent;
    };
    const hash = await hashOf(item);
    expect(report!.text).toMatch(/\nIs offered again\.$/);
    const reversed = Object.fromEntries(Object.entries(item).reverse());
    expect(await hashOf({ $schema: '../../item.schema.json', ...reversed }, 4)).toBe(hash);
    expect(await hashOf({ ...item, displayOrder: 7 })).not.toBe(hash);
    const icon = join(path, 'icon.svg');
    writeFileSync(icon, readFileSync(icon, 'utf8').replace('</svg>', '<rect width="1" height="1"/></svg>'));
    expect(await hashOf(item)).not.toBe(hash);
  });
});
