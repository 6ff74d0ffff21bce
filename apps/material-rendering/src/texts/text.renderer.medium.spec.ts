import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#config';
import { TextRenderer } from './text.renderer.js';

it('rejects a text that exceeds the timeout as service.overloaded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'late-text-'));
  const path = join(folder, 'late.mjs');
  // Blocks its thread, like native code
  await writeFile(
    path,
    `import { runTasks } from ${JSON.stringify(projectPath('dist/libs/children/src/run-tasks.js'))}; runTasks(() => { for (;;); });`,
  );
  const renderer = new TextRenderer({ timeoutMs: 300, program: { path } });
  await expect(renderer.render({ text: 'Hello', rgb: '#be1e2d' })).rejects.toMatchObject({
    status: 503,
    kind: { code: 'service.overloaded' },
    headers: { 'Retry-After': '1' },
  });
  renderer.onApplicationShutdown();
  await rm(folder, { recursive: true });
});
