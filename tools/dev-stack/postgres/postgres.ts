import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { StartFailure } from '../failure.js';
import { freePort } from '../system/free-port.js';
import { postgresPrograms, type PostgresPrograms } from './postgres-programs.js';
import { programOf, run, waitForExit, type CommandResult } from '../system/run.js';

export interface RunningPostgres {
  /** URL of the database `postgres`, as the superuser. */
  readonly url: string;
  readonly port: number;
  /** Id of the postmaster process. */
  readonly pid: number;
  /** Shuts the server down: closes sessions and flushes data. Idempotent. */
  stop(): Promise<void>;
}

interface PostgresOptions {
  /** Folder of the cluster (`data`), its log and the superuser's password; created if missing. */
  readonly dataDir: string;
  /** A free port is chosen if undefined. */
  readonly port?: number;
  /** False for tests: data need not survive a power failure. */
  readonly durable?: boolean;
}

const user = 'storefront';

/** UTF-8 locale; with the C locale pg_trgm and lower() ignore letters beyond ASCII. */
const localeFlags = [
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--lc-collate=C',
  `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : process.platform === 'win32' ? 'C' : 'C.UTF-8'}`,
];

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'timezone=UTC',
  'log_timezone=UTC',
  'max_connections=200',
  // The log has no parameters, and no details, which quote rows: both contain e-mail addresses
  'log_error_verbosity=terse',
  'log_parameter_max_length=0',
  'log_parameter_max_length_on_error=0',
];
const nonDurableSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'shared_buffers=64MB'];

/** A cluster on disk and its programs. */
class Cluster {
  readonly folder: string;

  constructor(
    private readonly programs: PostgresPrograms,
    private readonly dataDir: string,
  ) {
    this.folder = join(dataDir, 'data');
  }

  /**
   * Returns the path of a folder for the server: on Linux /proc/self/cwd, its working directory, if
   * the server's user cannot reach the folder, such as one in the home of root.
   */
  private async pathFor(folder: string): Promise<string> {
    if (!this.programs.runAs || process.platform !== 'linux') return folder;
    for (let parent = dirname(folder); parent !== dirname(parent); parent = dirname(parent)) {
      if (((await lstat(parent)).mode & 0o001) === 0) return '/proc/self/cwd';
    }
    return folder;
  }

  private call(program: string, parameters: readonly string[], folder = this.folder): Promise<CommandResult> {
    const env = { PATH: process.env.PATH, LC_ALL: 'C', SystemRoot: process.env.SystemRoot };
    return run(program, parameters, { cwd: folder, env, ...this.programs.runAs });
  }

  private async giveToServer(path: string): Promise<void> {
    if (this.programs.runAs) await chown(path, this.programs.runAs.uid, this.programs.runAs.gid);
  }

  /**
   * Creates the cluster in a temporary folder and renames it, so that no incomplete cluster exists
   * after an interrupted start.
   */
  async create(password: string): Promise<void> {
    const fresh = join(this.dataDir, 'data.new');
    const passwordFile = join(this.dataDir, 'password.new');
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    await Promise.all([this.giveToServer(fresh), this.giveToServer(passwordFile)]);
    const flags = [`--username=${user}`, '--auth=scram-sha-256', '--pwfile=../password.new', ...localeFlags];
    // No fsync, which takes seconds: an incomplete cluster is created again
    flags.push('--no-sync');
    const done = await this.call(this.programs.initdb, ['-D', await this.pathFor(fresh), ...flags], fresh);
    await rm(passwordFile);
    if (done.code !== 0)
      throw new StartFailure(`PostgreSQL could not create its data folder: ${lastLine(done.output)}`);
    await rename(fresh, this.folder);
  }

  /**
   * Returns the process id of the running server of the cluster. Otherwise removes a stale pid file
   * and returns undefined.
   */
  async servedBy(): Promise<number | undefined> {
    const pidFile = join(this.folder, 'postmaster.pid');
    const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
    if (!pid) return undefined;
    if ((await programOf(pid))?.startsWith('postgres')) return pid;
    await rm(pidFile, { force: true });
    return undefined;
  }

  async start(port: number, durable: boolean): Promise<CommandResult> {
    const chosen = [`port=${port}`, ...settings, ...(durable ? [] : nonDurableSettings)];
    const options = chosen.map((setting) => `-c ${setting}`).join(' ');
    const path = await this.pathFor(this.folder);
    return this.call(this.programs.pgCtl, ['-D', path, '-l', 'server.log', '-w', '-t', '60', '-o', options, 'start']);
  }

  async stop(): Promise<void> {
    const pid = await this.servedBy();
    if (pid === undefined) return;
    const path = await this.pathFor(this.folder);
    await this.call(this.programs.pgCtl, ['-D', path, '-m', 'fast', '-w', '-t', '20', 'stop']);
    if (await waitForExit(pid, 500)) return;
    await this.call(this.programs.pgCtl, ['-D', path, '-m', 'immediate', '-w', '-t', '5', 'stop']);
  }

  async failureReason(started: CommandResult): Promise<string> {
    const log = await readFile(join(this.folder, 'server.log'), 'utf8').catch(() => '');
    const reasons = log.split('\n').filter((line) => /FATAL|PANIC|could not/.test(line));
    return reasons.at(-1) ?? lastLine(started.output);
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

async function passwordOf(dataDir: string): Promise<string> {
  const file = join(dataDir, 'superuser.password');
  const stored = await readFile(file, 'utf8').catch(() => '');
  if (stored) return stored.trim();
  const password = randomBytes(24).toString('hex');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  return password;
}

/**
 * Starts a PostgreSQL server on 127.0.0.1 from the npm package. A server that still runs on the
 * same folder, left by a killed supervisor, is stopped first.
 *
 * @throws StartFailure with a one-line message
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const durable = options.durable ?? true;
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const programs = await postgresPrograms();
  // The server's user needs access to the folder; the password file has a restrictive mode
  if (programs.runAs) await chmod(dataDir, 0o755);
  const cluster = new Cluster(programs, dataDir);
  const password = await passwordOf(dataDir);
  if (existsSync(cluster.folder)) await cluster.stop();
  else await cluster.create(password);
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const started = await cluster.start(port, durable);
    const pid = await cluster.servedBy();
    if (started.code === 0 && pid !== undefined) {
      const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
      return { url, port, pid, stop: () => cluster.stop() };
    }
    // Another program may take a free port before the server starts, so up to three are tried. A
    // given port is tried once
    if (options.port !== undefined || attempt === 3) {
      throw new StartFailure(`PostgreSQL does not start on port ${port}: ${await cluster.failureReason(started)}`);
    }
  }
}
