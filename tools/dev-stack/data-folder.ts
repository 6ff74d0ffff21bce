import { randomBytes } from 'node:crypto';
import { access, constants, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from './apps/app-process.js';
import { StartFailure } from './failure.js';
import { makeFolder } from './system/make-folder.js';
import { isAlive, startedAt, waitForExit } from './system/run.js';

/** Process id and start time, because ids are reused. */
interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string | undefined;
}

const identityOf = async (pid: number): Promise<ProcessIdentity> => ({ pid, startedAt: await startedAt(pid) });

async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return isAlive(identity.pid) && (await startedAt(identity.pid)) === identity.startedAt;
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Returns true on success, false on a failure with `code`; other errors are thrown. */
const succeeds = (step: Promise<unknown>, code: string): Promise<boolean> =>
  step.then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === code) return false;
      throw error;
    },
  );

/** Data folder of a stack, used by one supervisor at a time. */
export class DataFolder {
  private recording: Promise<void> = Promise.resolve();
  private readonly recorded = new Map<number, ProcessIdentity>();

  private constructor(readonly path: string) {}

  /**
   * Claims the folder, and ends the apps of a killed supervisor.
   *
   * @throws StartFailure if the folder is not writable or in use by a running stack
   */
  static async claim(path: string): Promise<DataFolder> {
    const folder = new DataFolder(path);
    try {
      await makeFolder(path);
      await access(path, constants.W_OK | constants.X_OK);
      await folder.lock();
    } catch (error) {
      if (error instanceof StartFailure) throw error;
      throw new StartFailure(
        `DATA_DIR ${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)}).`,
      );
    }
    await folder.endLeftOvers();
    return folder;
  }

  file(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  /**
   * Creates the lock file atomically with its content, because an empty file would look like a
   * stale lock.
   */
  private async lock(): Promise<void> {
    const file = this.file('supervisor.json');
    const mine = `${file}.${randomBytes(4).toString('hex')}`;
    await writeFile(mine, JSON.stringify(await identityOf(process.pid)));
    try {
      for (let attempt = 1; attempt <= 100; attempt++) {
        if (await succeeds(link(mine, file), 'EEXIST')) return;
        const other = await readJson<ProcessIdentity>(file);
        if (other && (await isRunning(other))) throw this.inUse(other);
        await this.removeStale(file);
      }
    } finally {
      await rm(mine, { force: true });
    }
    throw new StartFailure(`DATA_DIR ${this.path} is being claimed by another start.`);
  }

  /**
   * Removes a stale lock while holding a mutex, so that no other supervisor replaces the lock
   * between check and removal. Does nothing if another one holds the mutex; the caller retries.
   */
  private async removeStale(file: string): Promise<void> {
    const mutex = `${file}.mutex`;
    if (!(await succeeds(mkdir(mutex), 'EEXIST'))) {
      const since = await stat(mutex).catch(() => null);
      // A supervisor was killed while it held the mutex
      if (since && Date.now() - since.mtimeMs > 5_000) await rm(mutex, { recursive: true, force: true });
      await sleep(20);
      return;
    }
    // If the lock is missing, another supervisor has just removed it
    if (await stat(file).catch(() => null)) {
      const other = await readJson<ProcessIdentity>(file);
      if (!other || !(await isRunning(other))) await rm(file, { force: true });
    }
    await rm(mutex, { recursive: true, force: true });
  }

  private inUse({ pid }: ProcessIdentity): StartFailure {
    return new StartFailure(
      `DATA_DIR ${this.path} is in use by a running stack (process ${pid}); set another DATA_DIR and PORT.`,
    );
  }

  private async endLeftOvers(): Promise<void> {
    const identities = (await readJson<ProcessIdentity[]>(this.file('apps.json'))) ?? [];
    for (const identity of identities) {
      if (!(await isRunning(identity))) continue;
      // The apps shut down because their supervisor exited; after 5 s they are killed
      if (!(await waitForExit(identity.pid, 5_000))) killGroup(identity.pid);
    }
    await rm(this.file('apps.json'), { force: true });
  }

  /** Records the process of an app, which the next start ends if this supervisor is killed. */
  recordApp(pid: number): Promise<void> {
    // Sequential: an older list must not overwrite a newer one
    const noted = this.recording.then(() => this.record(pid));
    this.recording = noted.catch(() => undefined);
    return noted;
  }

  private async record(pid: number): Promise<void> {
    this.recorded.set(pid, await identityOf(pid));
    for (const known of this.recorded.keys()) if (!isAlive(known)) this.recorded.delete(known);
    await this.replace('apps.json', [...this.recorded.values()]);
  }

  /** Writes a file atomically, readable by its owner only. */
  async replace(name: string, content: unknown): Promise<void> {
    const fresh = this.file(`${name}.${randomBytes(4).toString('hex')}`);
    await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(fresh, this.file(name));
  }

  /** Returns stored values, such as secrets and ports; missing ones are created. */
  async load<T extends object>(name: string, make: () => T): Promise<T> {
    const stored = await readJson<Partial<T>>(this.file(name));
    const content = { ...make(), ...stored };
    if (JSON.stringify(stored) !== JSON.stringify(content)) await this.replace(name, content);
    return content;
  }

  /** Releases the folder. Removes it with its content if it is temporary. */
  async release(temporary: boolean): Promise<void> {
    for (const name of ['stack.json', 'apps.json', 'supervisor.json']) await rm(this.file(name), { force: true });
    if (temporary) await rm(this.path, { recursive: true, force: true });
  }
}
