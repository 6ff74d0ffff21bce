import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { projectPath } from '#config';

/** Runs the program for the disk fault with an empty PATH, so that mounting fails. */
async function run(...flags: string[]): Promise<{ code: number; output: string }> {
  const program = [projectPath('dist/e2e/faults/main.js'), '--only', 'blob store full', '--runs', '1', ...flags];
  const child = spawn(process.execPath, program, { env: { PATH: '' }, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number]>]);
  return { code, output };
}

it('exits with 1 if a fault is skipped because no small file system can be mounted', async () => {
  const { code, output } = await run();
  expect(output).toMatch(/^SKIPPED: blob store full\. /);
  expect(code).toBe(1);
});

it('exits with 0 if the fault is skipped by --without-disk', async () => {
  const { code, output } = await run('--without-disk');
  expect(output).not.toContain('SKIPPED');
  expect(code).toBe(0);
});
