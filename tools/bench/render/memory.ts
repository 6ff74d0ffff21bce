import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type StoredMaterial } from './materials.js';

/** Starts a process that is like a worker: this one has made the materials, and its memory shows that. */
export async function renderMany(materials: readonly StoredMaterial[], layersFolder: string): Promise<void> {
  const program = fileURLToPath(new URL('memory.child.js', import.meta.url));
  // As the stack starts its workers
  const env = { MALLOC_ARENA_MAX: '2', ...process.env };
  const child = fork(program, [layersFolder, ...materials.map(({ path }) => path)], { env });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the process that drew the images did not end well');
}
