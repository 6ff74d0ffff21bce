import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { projectPath } from '#config';

/** Where no program is found, so that nothing can be mounted. */
async function run(...flags: string[]): Promise<{ code: number; said: string }> {
  const program = [projectPath('dist/e2e/faults/main.js'), '--only', 'blob store full', '--runs', '1', ...flags];
  const child = spawn(process.execPath, program, { env: { PATH: '' }, stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number]>]);
  return { code, said };
}

it('ends with 1 when a fault is left out because no small file system can be mounted', async () => {
  const { code, said } = await run();
  expect(said).toMatch(/^LEFT OUT: blob store full\. /);
  expect(code).toBe(1);
});

it('ends with 0 when it was to be left out', async () => {
  const { code, said } = await run('--without-disk');
  expect(said).not.toContain('LEFT OUT');
  expect(code).toBe(0);
});
