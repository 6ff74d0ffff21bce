import { createReadStream } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import type * as Secrets from '../../tools/test/secrets.mjs';

// Not compiled, so that the e2e tests have it before anything is built
const { leaksIn } = (await import(pathToFileURL(projectPath('tools', 'test', 'secrets.mjs')).href)) as typeof Secrets;

const pieceBytes = 1024 ** 2;

/**
 * The lines of a log that hold secrets, with the secret hidden. Reads piece by piece, however long it is.
 *
 * @param from leaves out what stood in it before
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
