import { lstat, mkdir } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartFailure } from './failure.js';

export const isRoot = process.getuid?.() === 0;

/**
 * A folder that keeps unpacked programs between runs, shared by all checkouts of one user. For root it lies under the
 * temporary folder, because root's home is closed to the user PostgreSQL must run as.
 */
export async function cacheFolder(...parts: string[]): Promise<string> {
  const base = isRoot
    ? join(tmpdir(), 'storefront-cache-root')
    : join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'storefront');
  await mkdir(base, { recursive: true, mode: 0o755 });
  const found = await lstat(base);
  // Programs are started from here: a folder that somebody else prepared under a public one is not trusted
  if (process.getuid && (!found.isDirectory() || found.uid !== process.getuid() || (found.mode & 0o022) !== 0)) {
    throw new StartFailure(`The cache folder ${base} can be written by other users; remove it and start again.`);
  }
  const folder = join(base, ...parts);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  return folder;
}
