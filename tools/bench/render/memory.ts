import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type EngineFiles } from './drawing.js';
import { type StoredMaterial } from './materials.js';

/**
 * Renders the materials in a child process, which measures its memory. In this process the memory
 * for the generation of the materials would be included.
 *
 * @throws Error if the child process fails
 */
export async function measureMemory(
  materials: readonly StoredMaterial[],
  { blanksFolder, cmykProfile }: EngineFiles,
): Promise<void> {
  const program = fileURLToPath(new URL('memory.child.js', import.meta.url));
  // As in the apps of a stack
  const env = { MALLOC_ARENA_MAX: '2', ...process.env };
  const child = fork(program, [blanksFolder, cmykProfile, ...materials.map(({ path }) => path)], { env });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the rendering process failed');
}
