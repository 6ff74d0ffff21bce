import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Material } from './materials.js';

/** Starts a process that is like a worker: this one has made the materials, and its memory shows that. */
export async function renderMany(materials: readonly Material[], layersFolder: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-render-'));
  try {
    const files = materials.map(({ name, extension }) => join(folder, `${name.replace(' ', '-')}.${extension}`));
    await Promise.all(materials.map(({ bytes }, i) => writeFile(files[i]!, bytes)));
    const program = fileURLToPath(new URL('memory.child.js', import.meta.url));
    // As the stack starts its workers
    const env = { MALLOC_ARENA_MAX: '2', ...process.env };
    const child = fork(program, [layersFolder, ...files], { env });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error('the process that drew the pictures did not end well');
  } finally {
    await rm(folder, { recursive: true });
  }
}
