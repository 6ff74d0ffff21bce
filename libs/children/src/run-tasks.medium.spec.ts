import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#config';
import type { ChildProgram } from './child-process.js';
import { runChild } from './run-child.js';

const megabyte = 1024 ** 2;

describe('the memory that a child reports', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'children-'))));
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs a task in a child. @returns the memory that it reports, in megabytes */
  const memoryAfter = async (work: string): Promise<number> => {
    const path = join(folder, 'task.child.mjs');
    const runTasks = JSON.stringify(projectPath('dist/libs/children/src/run-tasks.js'));
    await writeFile(path, `import { runTasks } from ${runTasks}; runTasks(async () => { ${work}; return {}; });`);
    const program: ChildProgram = { path, memoryBytes: 900 * megabyte, readable: [] };
    const { memory } = await runChild(program, {}, 30_000);
    return (memory as number) / megabyte;
  };

  it('is without the range that V8 reserves for code, which is 509 MB with Node 24', async () => {
    const memory = await memoryAfter('');
    expect(memory).toBeGreaterThan(30);
    expect(memory).toBeLessThan(250);
  });

  it('includes data without pages, because the limit of the kernel does', async () => {
    expect(await memoryAfter('globalThis.held = Buffer.allocUnsafeSlow(400 * 1024 ** 2)')).toBeGreaterThan(400);
  });
});
