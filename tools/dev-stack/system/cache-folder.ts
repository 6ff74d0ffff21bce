import { access, constants, lstat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartFailure } from '../failure.js';
import { makeFolder } from './make-folder.js';

export const isRoot = process.getuid?.() === 0;

/** A user without an entry in the list of users, as in a container, may have no home at all. */
function homeCache(): string[] {
  try {
    return [join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'storefront')];
  } catch {
    return [];
  }
}

/** For root under the temporary folder: root's home is closed to the user PostgreSQL must run as. */
const candidates = (): string[] =>
  isRoot
    ? [join(tmpdir(), 'storefront-cache-root')]
    : [...homeCache(), join(tmpdir(), `storefront-cache-${process.getuid?.() ?? 'user'}`)];

/** Programs are started from here: a folder that somebody else prepared under a public one is not trusted. */
async function whyUnusable(folder: string): Promise<string | undefined> {
  try {
    await makeFolder(folder, 0o755);
    const found = await lstat(folder);
    if (process.getuid && (!found.isDirectory() || found.uid !== process.getuid() || (found.mode & 0o022) !== 0))
      return `The cache folder ${folder} can be written by other users; remove it and start again.`;
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `The cache folder ${folder} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`;
  }
}

/**
 * The first folder that this user alone can write; it is made when missing.
 *
 * @throws StartFailure that says what is wrong with the last one
 */
export async function firstUsable(folders: readonly string[]): Promise<string> {
  let reason = 'There is no place for a cache folder.';
  for (const folder of folders) {
    const problem = await whyUnusable(folder);
    if (problem === undefined) return folder;
    reason = problem;
  }
  throw new StartFailure(reason);
}

/**
 * A folder that keeps unpacked programs between runs, shared by all checkouts of one user: in the home, or under the
 * temporary folder when there is no home that can be written.
 *
 * @throws StartFailure when neither can be used
 */
export async function cacheFolder(...parts: string[]): Promise<string> {
  const folder = join(await firstUsable(candidates()), ...parts);
  await makeFolder(folder, 0o755).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartFailure(`The cache folder ${folder} cannot be made (${code ?? 'unknown'}).`);
  });
  return folder;
}
