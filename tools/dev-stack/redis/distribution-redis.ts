import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../system/cache-folder.js';
import { run } from '../system/run.js';

/** Path of a Redis server and its environment variables. */
export interface RedisProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Packages to download if apt cannot list the missing ones. Systems with Node.js and apt have libc
 * and libssl.
 */
const usualPackages = ['redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'];

/** Returns the packages that an installation of redis-tools would add, without installing them. */
async function missingPackages(options: readonly string[]): Promise<string[]> {
  const plan = await run('apt-get', [...options, '-s', 'install', '--no-install-recommends', 'redis-tools']);
  const names = [...plan.output.matchAll(/^Inst (\S+)/gm)].map((match) => match[1]!);
  return names.includes('redis-tools') ? names : usualPackages;
}

async function download(folder: string, options: readonly string[]): Promise<boolean> {
  const packages = await missingPackages(options);
  const done = await run('apt-get', [...options, 'download', ...packages], { cwd: folder });
  return done.code === 0;
}

/**
 * Fetches package lists into a private folder without root, for systems without lists. Returns the
 * options of apt that use them.
 */
async function privateLists(): Promise<string[]> {
  const folder = await cacheFolder('apt');
  for (const part of ['lists/partial', 'cache/archives/partial']) await mkdir(join(folder, part), { recursive: true });
  const options = ['-o', `Dir::State::lists=${join(folder, 'lists')}`, '-o', `Dir::Cache=${join(folder, 'cache')}`];
  const unsandboxed = [...options, '-o', 'APT::Sandbox::User=', '-o', 'Acquire::Retries=1'];
  await run('apt-get', [...unsandboxed, 'update']);
  return unsandboxed;
}

async function unpack(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.deb')) continue;
    await run('dpkg', ['-x', join(folder, name), join(folder, 'root')]);
    await rm(join(folder, name));
  }
  // The program runs as a server if it is started by the name redis-server
  await symlink('redis-check-rdb', join(folder, 'root/usr/bin/redis-server'));
}

async function libraryFolders(root: string): Promise<string> {
  const folders: string[] = [];
  for (const base of ['usr/lib', 'lib']) {
    const entries = await readdir(join(root, base), { withFileTypes: true }).catch(() => []);
    folders.push(join(root, base));
    for (const entry of entries) if (/-linux-gnu/.test(entry.name)) folders.push(join(root, base, entry.name));
  }
  return folders.join(':');
}

/**
 * Returns a Redis server from the distribution's packages, unpacked into the cache folder without
 * root. Undefined if that fails (no apt, no network).
 */
export async function distributionRedis(): Promise<RedisProgram | undefined> {
  if (process.platform !== 'linux') return undefined;
  const folder = join(await cacheFolder(), `redis-${process.arch}`);
  if (!existsSync(folder)) {
    if ((await run('apt-get', ['--version'])).code !== 0) return undefined;
    const fresh = `${folder}.${process.pid}`;
    await mkdir(fresh, { recursive: true, mode: 0o755 });
    const unsandboxed = ['-o', 'APT::Sandbox::User='];
    if ((await download(fresh, unsandboxed)) || (await download(fresh, await privateLists()))) {
      await unpack(fresh)
        .then(() => rename(fresh, folder))
        .catch(() => undefined);
    }
    await rm(fresh, { recursive: true, force: true });
  }
  const root = join(folder, 'root');
  const path = join(root, 'usr/bin/redis-server');
  return existsSync(path) ? { path, env: { LD_LIBRARY_PATH: await libraryFolders(root) } } : undefined;
}
