import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { projectPath, projectRoot } from '#config';
import { dataDir } from '../support/shop.js';

const execute = promisify(execFile);

describe('npm run demo', () => {
  it('uploads, waits, places favorites, and writes all images with a contact sheet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'demo-'));
    const { stdout } = await execute(process.execPath, [projectPath('tools/built.mjs'), 'demo', '--out', folder], {
      cwd: projectRoot,
      env: { ...process.env, DATA_DIR: dataDir },
    });
    expect(stdout).toContain('8 of 8 materials rendered');
    expect(stdout).toContain('花子 likes your Lighthouse スタンダードTシャツ.');
    const images = (await readdir(folder)).filter((name) => name.endsWith('.jpg'));
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    expect(images.length).toBeGreaterThan(30);
    for (const name of images) {
      expect(page).toContain(name);
      const { width, height } = await sharp(join(folder, name)).metadata();
      expect([width, height]).toEqual([765, 765]);
    }
    await rm(folder, { recursive: true });
  }, 200_000);
});
