import { ChildFailed, runChild } from '#children/run-child.js';
import { type ChildProgram, heapMegabytes } from '#children/child-process.js';
import { projectPath } from '#config';
import { readFileWithin, unreadable } from '#blanks';
import { type Mockup, Reply } from './mockup.schema.js';

const mebibyte = 1024 ** 2;
const maxFileBytes = 180 * mebibyte;
const timeoutMs = 180_000;

const program = {
  path: projectPath('dist/libs/mockups/src/psd/psd.child.js'),
  memoryBytes: 1_536 * mebibyte,
  cpuSeconds: 120,
  readable: [
    'dist/libs/mockups/src/psd/',
    'dist/libs/mockups/src/bundle/master.js',
    'dist/libs/rendering/src/light.js',
  ],
} as const satisfies ChildProgram;

const reasons: Readonly<Record<ChildFailed['reason'], string>> = {
  'timed-out': `needs more than ${timeoutMs / 1_000} s to be read`,
  'cpu-exceeded': `needs more than ${program.cpuSeconds} s of processor time`,
  aborted: `needs more than ${program.memoryBytes / mebibyte} MB of memory, or ${heapMegabytes} MB for its texts and structure: merge layers or reduce its size`,
  died: 'cannot be read: the process that read it has ended',
  'not-started': 'cannot be read: the process for it did not start (npm run build)',
};

/**
 * Reads a PSD with a smart object in a child process.
 *
 * @param printLayer name of the smart object; null = the only visible one
 * @param colorLayer name of the layer with the color of the item; null = a fill of one color
 * @throws DomainError `catalog.invalid` with the path and the mistake
 */
export async function readPsd(
  path: string,
  layers: { readonly printLayer: string | null; readonly colorLayer: string | null },
): Promise<Mockup> {
  const task = { bytes: await readFileWithin(path, maxFileBytes), ...layers };
  const message = await runChild(program, task, timeoutMs).catch((error: unknown) => {
    throw error instanceof ChildFailed ? unreadable(path, reasons[error.reason]) : error;
  });
  const { data } = Reply.safeParse(message);
  if (!data) throw unreadable(path, reasons.died);
  if (data.kind === 'mistake') throw unreadable(path, data.message);
  return data;
}
