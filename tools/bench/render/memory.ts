import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type StoredMaterial } from './materials.js';

/**
 * Renders the materials in a child process, which measures its memory in the environment of a
 * worker. The memory of this process includes the generation of the materials.
 *
 * @throws Error if the child process fails
 */
export async function renderMany(materials: readonly StoredMaterial[], layersFolder: string): Promise<void> {
  const program = fileURLToPath(new URL('memory.child.js', import.meta.url));
  // Same environment as workers of a stack
  const env = { MALLOC_ARENA_MAX: '2', ...process.env };
  const child = fork(program, [layersFolder, ...materials.map(({ path }) => path)], { env });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the rendering process failed');
}
