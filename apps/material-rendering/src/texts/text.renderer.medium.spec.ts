import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childPath } from '../children/child-process.js';
import { TextRenderer } from './text.renderer.js';

it('a text that takes too long is refused as too much at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'late-text-'));
  const path = join(folder, 'late.mjs');
  // Blocks its thread, as native code does
  await writeFile(
    path,
    `import { answerParent } from ${JSON.stringify(childPath('answer-parent.js'))}; answerParent(() => { for (;;); });`,
  );
  const writer = new TextRenderer({ timeoutMs: 300, program: { path } });
  await expect(writer.write({ text: 'Hello', rgb: '#be1e2d' })).rejects.toMatchObject({
    status: 503,
    kind: { code: 'service.overloaded' },
    headers: { 'Retry-After': '1' },
  });
  writer.onApplicationShutdown();
  await rm(folder, { recursive: true });
});
