import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type StoredMaterial } from './materials.js';

/**
 * Renders in a separate process like a worker, because this process has used memory to generate the
 * materials.
 *
 * @throws Error if the process fails
 */
export async function renderMany(materials: readonly StoredMaterial[], layersFolder: string): Promise<void> {
  const program = fileURLToPath(new URL('memory.child.js', import.meta.url));
  // Same environment as workers of a stack
  const env = { MALLOC_ARENA_MAX: '2', ...process.env };
  const child = fork(program, [layersFolder, ...materials.map(({ path }) => path)], { env });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the rendering process failed');
}
