import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import { eventually } from '#testing';
import { isAlive } from '../../tools/dev-stack/system/run.js';

describe('the cleanup process of a fleet', () => {
  it('kills remaining processes and deletes the folder when the starting process is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'storefront-cleanup-'));
    const program = `${folder}.mjs`;
    const file = pathToFileURL(projectPath('dist/e2e/fleet/cleanup.js')).href;
    await writeFile(
      program,
      `import { spawn } from 'node:child_process';
       import { startCleanup } from ${JSON.stringify(file)};
       const cleanup = await startCleanup(${JSON.stringify(folder)});
       const frozen = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
       cleanup.record(frozen.pid);
       frozen.kill('SIGSTOP');
       process.send(frozen.pid);`,
    );
    const starter = fork(program, { execArgv: [] });
    try {
      const [pid] = (await once(starter, 'message')) as [number];
      expect(isAlive(pid)).toBe(true);
      starter.kill('SIGKILL');
      await eventually('the process is killed', () => !isAlive(pid));
      await eventually('the folder is deleted', () => !existsSync(folder));
    } finally {
      starter.kill('SIGKILL');
      await rm(program);
    }
  });
});
