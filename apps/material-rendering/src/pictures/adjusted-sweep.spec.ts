import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '#observability';
import { FolderBlobStore } from '#storage';
import { AdjustedSweep } from './adjusted-sweep.js';

describe('AdjustedSweep', () => {
  it('removes the oldest adjusted pictures over the limit, and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adjusted-'));
    const blobs = new FolderBlobStore(folder);
    const keys = ['adjusted/1/a', 'adjusted/2/b', 'adjusted/3/c', 'pictures/1/a'];
    for (const [minutes, key] of keys.entries()) {
      await blobs.put(key, Buffer.alloc(100));
      const at = new Date(2026, 0, 1, 0, 3 - minutes);
      await utimes(join(folder, key), at, at);
    }
    const sweep = new AdjustedSweep(blobs, createLog({ app: 'test', level: 'silent', format: 'json' }), 250);
    expect(await sweep.sweep()).toBe(1);
    const left = await Promise.all(keys.map((key) => blobs.has(key)));
    expect(left).toEqual([true, true, false, true]);
    expect(await sweep.sweep()).toBe(0);
    await rm(folder, { recursive: true });
  });
});
