import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from './data-folder.js';

describe('DataFolder', () => {
  it('is claimed by exactly one of several concurrent starts that find a stale lock', async () => {
    for (let round = 0; round < 40; round += 1) {
      const path = await mkdtemp(join(tmpdir(), 'data-folder-'));
      await writeFile(join(path, 'supervisor.json'), JSON.stringify({ pid: 2 ** 22 - 1, startedAt: 'long ago' }));
      const claims = await Promise.allSettled([1, 2, 3].map(() => DataFolder.claim(path)));
      expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await readdir(path)).toEqual(['supervisor.json']);
      await rm(path, { recursive: true });
    }
  });

  it('records every app, also when apps start concurrently', async () => {
    const path = await mkdtemp(join(tmpdir(), 'data-folder-'));
    const apps = Array.from({ length: 6 }, () => spawn('sleep', ['60'], { stdio: 'ignore' }));
    for (let round = 0; round < 40; round += 1) {
      const folder = await DataFolder.claim(path);
      await Promise.all(apps.map(({ pid }) => folder.recordApp(pid!)));
      const noted = JSON.parse(await readFile(join(path, 'apps.json'), 'utf8')) as { pid: number }[];
      expect(noted.map(({ pid }) => pid).sort()).toEqual(apps.map(({ pid }) => pid!).sort());
      await folder.release(false);
    }
    for (const app of apps) app.kill();
    await rm(path, { recursive: true });
  });
});
