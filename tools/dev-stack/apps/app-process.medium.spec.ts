import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#testing';
import { AppProcess } from './app-process.js';
import { BackOff } from './back-off.js';
import { terminalOutput } from '../terminal/console.js';
import { isAlive } from '../system/run.js';

describe('the process of an app', () => {
  let folder: string;
  const apps: AppProcess[] = [];

  async function start(program: string): Promise<AppProcess> {
    const file = join(folder, `${apps.length}.mjs`);
    await writeFile(file, program);
    const options = { name: 'app', file, environment: process.env, output: terminalOutput('app', 3, 0) };
    const app = new AppProcess({ ...options, backOff: new BackOff(), onStart: () => undefined });
    apps.push(app);
    app.start();
    return app;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storefront-app-'));
  });

  afterAll(async () => {
    for (const app of apps) app.kill();
    await Promise.all(apps.map((app) => app.stop(1_000)));
    await rm(folder, { recursive: true });
  });

  it('restarts after it is killed', async () => {
    const app = await start('setInterval(() => {}, 1000);');
    const before = app.pid!;
    process.kill(before, 'SIGKILL');
    const after = await eventually('the next process', () => app.pid !== undefined && app.pid !== before && app.pid);
    expect(isAlive(after)).toBe(true);
    expect(app.unexpectedExits).toBe(1);
  });

  it('does not restart after stop()', async () => {
    const app = await start('setInterval(() => {}, 1000);');
    const pid = app.pid!;
    await app.stop(5_000);
    expect(isAlive(pid)).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(app.pid).toBeUndefined();
    expect(app.unexpectedExits).toBe(0);
  });

  it('does not restart after kill()', async () => {
    const app = await start('setInterval(() => {}, 1000);');
    app.kill();
    expect(await app.ended).toBe('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(app.pid).toBeUndefined();
    expect(app.unexpectedExits).toBe(0);
  });

  it('is killed when it ignores the signal', async () => {
    const file = join(folder, 'listens');
    const app = await start(`
      import { writeFileSync } from 'node:fs';
      process.on('SIGTERM', () => {});
      writeFileSync(${JSON.stringify(file)}, '');
      setInterval(() => {}, 1000);`);
    const pid = app.pid!;
    await eventually('it listens to the signal', () => existsSync(file));
    const since = Date.now();
    await app.stop(300);
    expect(Date.now() - since).toBeGreaterThanOrEqual(290);
    expect(isAlive(pid)).toBe(false);
  });

  it('kills its child processes, too', async () => {
    const file = join(folder, 'child.pid');
    const app = await start(`
      import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const child = spawn('sleep', ['60']);
      writeFileSync(${JSON.stringify(file)}, String(child.pid));
      setInterval(() => {}, 1000);`);
    // The file is created empty before the number is written
    const child = await eventually(
      'the child',
      async () => Number(await readFile(file, 'utf8').catch(() => '')) || false,
    );
    process.kill(app.pid!, 'SIGKILL');
    await eventually('the end of the child', () => !isAlive(child));
  });
});
