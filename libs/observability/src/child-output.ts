import { basename } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { type Log, onOneLine } from './log.js';

const maxLines = 20;
const maxCharacters = 500;
const anyQuote = /["'`‘’“”«»]/gu;
/** A quote that does not follow a letter or digit, as an apostrophe does. */
const openingQuote = /\B["'`‘’“”«»]/u;

/**
 * Masks everything from the first opening quote to the last quote: native libraries quote parts of
 * the client's file.
 */
function maskQuoted(text: string): string {
  const start = text.search(openingQuote);
  if (start === -1) return text;
  const end = [...text.matchAll(anyQuote)].at(-1)!.index;
  return `${text.slice(0, start)}"…"${end === start ? '' : text.slice(end + 1)}`;
}

/**
 * Logs what a child process writes to its standard error, one log line for each write. It logs at
 * most 20 lines per process and 500 characters per line, with quoted contents masked. Further
 * output is read and dropped, so that the child is never blocked by a full pipe. Does not prevent
 * the exit of either process.
 *
 * @param child started with a pipe for standard error
 * @param path of its program, for the log
 */
export function logStderr(child: ChildProcess, path: string, log: Pick<Log, 'warn'>): void {
  const stream = child.stderr as Socket | null;
  if (!stream) return;
  let lines = 0;
  stream.on('data', (chunk: Buffer) => {
    lines += 1;
    if (lines > maxLines) return;
    const stderr = onOneLine(maskQuoted(chunk.toString().trimEnd())).slice(0, maxCharacters);
    const last = lines === maxLines ? ', further output is dropped' : '';
    log.warn({ child: basename(path), pid: child.pid, stderr }, `A child process wrote to standard error${last}`);
  });
  stream.on('error', () => undefined);
  stream.unref();
}
