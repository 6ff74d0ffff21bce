import { createReadStream } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import type * as Secrets from '../../tools/test/secrets.mjs';

// JavaScript, because the teardown of the e2e tests uses it without a build
const { leaksIn } = (await import(pathToFileURL(projectPath('tools', 'test', 'secrets.mjs')).href)) as typeof Secrets;

const chunkBytes = 1024 ** 2;

/**
 * Returns the lines of a log that contain secrets, with the secrets redacted. Reads in chunks,
 * because a log may be large.
 *
 * @param from byte offset where reading starts
 */
export async function leaksOf(file: string, secrets: ReadonlySet<string>, from = 0): Promise<string[]> {
  const leaks = new Set<string>();
  const look = (lines: string): void => leaksIn(lines, secrets).forEach((leak) => leaks.add(leak));
  let rest = '';
  for await (const piece of createReadStream(file, { encoding: 'utf8', start: from, highWaterMark: chunkBytes })) {
    const text = rest + (piece as string);
    const end = text.lastIndexOf('\n') + 1;
    look(text.slice(0, end));
    rest = text.slice(end);
  }
  look(rest);
  return [...leaks];
}
