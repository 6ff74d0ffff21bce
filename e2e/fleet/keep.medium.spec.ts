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

describe('the keeper of a fleet', () => {
  it('ends what is left and removes the folder when the starting process was killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'storefront-keep-'));
    const program = `${folder}.mjs`;
    const keep = pathToFileURL(projectPath('dist/e2e/fleet/keep.js')).href;
    await writeFile(
      program,
      `import { spawn } from 'node:child_process';
       import { keep } from ${JSON.stringify(keep)};
       const keeper = await keep(${JSON.stringify(folder)});
       const frozen = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
       keeper.note(frozen.pid);
       frozen.kill('SIGSTOP');
       process.send(frozen.pid);`,
    );
    const starter = fork(program, { execArgv: [] });
    try {
      const [pid] = (await once(starter, 'message')) as [number];
      expect(isAlive(pid)).toBe(true);
      starter.kill('SIGKILL');
      await eventually('the end of what it had started', () => !isAlive(pid));
      await eventually('the end of its folder', () => !existsSync(folder));
    } finally {
      starter.kill('SIGKILL');
      await rm(program);
    }
  });
});
