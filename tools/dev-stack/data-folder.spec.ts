import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from './data-folder.js';

describe('DataFolder', () => {
  it('is claimed by exactly one of several starts that find the lock of a dead one', async () => {
    for (let round = 0; round < 40; round += 1) {
      const path = await mkdtemp(join(tmpdir(), 'data-folder-'));
      await writeFile(join(path, 'supervisor.json'), JSON.stringify({ pid: 2 ** 22 - 1, startedAt: 'long ago' }));
      const claims = await Promise.allSettled([1, 2, 3].map(() => DataFolder.claim(path)));
      expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await readdir(path)).toEqual(['supervisor.json']);
      await rm(path, { recursive: true });
    }
  });
});
