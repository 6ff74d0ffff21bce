import { access, constants, lstat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartFailure } from '../failure.js';
import { makeFolder } from './make-folder.js';

export const isRoot = process.getuid?.() === 0;

/**
 * Cache folder in the home. A user without an entry in the user database, as in containers, may
 * have none.
 */
function homeCache(): string[] {
  try {
    return [join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'storefront')];
  } catch {
    return [];
  }
}

/**
 * Candidates; for root in the temporary folder, because the PostgreSQL user cannot read root's
 * home.
 */
const candidates = (): string[] =>
  isRoot
    ? [join(tmpdir(), 'storefront-cache-root')]
    : [...homeCache(), join(tmpdir(), `storefront-cache-${process.getuid?.() ?? 'user'}`)];

/**
 * Returns why a folder is unusable, or undefined. Programs are run from the folder, so it must not
 * be writable for other users.
 */
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
 * Returns the first folder that only this user can write; created if missing.
 *
 * @throws StartFailure with the error of the last candidate
 */
export async function firstUsable(folders: readonly string[]): Promise<string> {
  let reason = 'No cache folder is available.';
  for (const folder of folders) {
    const problem = await whyUnusable(folder);
    if (problem === undefined) return folder;
    reason = problem;
  }
  throw new StartFailure(reason);
}

/**
 * Returns the cache folder for unpacked programs, shared by all checkouts of a user: in the home,
 * or in the temporary folder if the home is not writable.
 *
 * @throws StartFailure if neither is usable
 */
export async function cacheFolder(...parts: string[]): Promise<string> {
  const folder = join(await firstUsable(candidates()), ...parts);
  await makeFolder(folder, 0o755).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartFailure(`The cache folder ${folder} cannot be created (${code ?? 'unknown'}).`);
  });
  return folder;
}
