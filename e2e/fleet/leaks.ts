import { createReadStream } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import type * as Secrets from '../../tools/test/secrets.mjs';

// Plain JavaScript, because the e2e tests use it without a build
const { leaksIn } = (await import(pathToFileURL(projectPath('tools', 'test', 'secrets.mjs')).href)) as typeof Secrets;

const pieceBytes = 1024 ** 2;

/**
 * Returns the lines of a log that contain secrets, with the secret redacted. Reads in chunks.
 *
 * @param from byte offset where reading starts
 */
export async function leaksOf(file: string, secrets: ReadonlySet<string>, from = 0): Promise<string[]> {
  const leaks = new Set<string>();
  const look = (lines: string): void => leaksIn(lines, secrets).forEach((leak) => leaks.add(leak));
  let rest = '';
  for await (const piece of createReadStream(file, { encoding: 'utf8', start: from, highWaterMark: pieceBytes })) {
    const text = rest + (piece as string);
    const end = text.lastIndexOf('\n') + 1;
    look(text.slice(0, end));
    rest = text.slice(end);
  }
  look(rest);
  return [...leaks];
}
