import { ChildFailed, runChild } from '#children/run-child.js';
import { type ChildProgram } from '#children/child-process.js';
import { projectPath } from '#config';
import { z } from 'zod';
import { unreadable } from './bundle.errors.js';

/** Task of the child process that draws an icon as a square of `side` pixels. */
export interface IconTask {
  readonly svg: Buffer;
  readonly side: number;
}

/** Edge of a PNG icon, in pixels. */
export const iconSide = 256;

const maxPngBytes = 1024 ** 2;
const Reply = z.object({
  png: z.custom<Uint8Array>((it) => it instanceof Uint8Array && it.length <= maxPngBytes),
});

const timeoutMs = 60_000;
/** An icon that ships needs 0.4 s, most of it for the start of the process. */
const program = {
  path: projectPath('dist/libs/blanks/src/bundles/icon.child.js'),
  memoryBytes: 512 * 1024 ** 2,
  cpuSeconds: 4,
  readable: ['dist/libs/images/'],
} as const satisfies ChildProgram;

const undrawable = 'cannot be drawn, or is larger than 64 x 64';
const reasons: Readonly<Record<ChildFailed['reason'], string>> = {
  'timed-out': `needs more than ${timeoutMs / 1_000} s to be drawn: simplify its shapes`,
  'cpu-exceeded': `needs more than ${program.cpuSeconds} s to be drawn: simplify its shapes`,
  aborted: 'needs too much memory to be drawn: simplify its shapes',
  died: undrawable,
  'not-started': 'cannot be drawn: the process for it did not start (npm run build)',
};

/**
 * Renders an SVG icon as a square PNG with a transparent background. A child process draws it,
 * because no rule for its shapes bounds the time of drawing them.
 *
 * @param svg without defects
 * @throws DomainError `catalog.invalid` with `icon.svg` and the mistake
 */
export async function iconPng(svg: Buffer): Promise<Buffer> {
  const task: IconTask = { svg, side: iconSide };
  const message = await runChild(program, task, timeoutMs).catch((error: unknown) => {
    throw error instanceof ChildFailed ? unreadable('icon.svg', reasons[error.reason]) : error;
  });
  const { data } = Reply.safeParse(message);
  if (!data) throw unreadable('icon.svg', undrawable);
  return Buffer.from(data.png);
}
