import { randomBytes } from 'node:crypto';
import { access, constants, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from './apps/app-process.js';
import { StartFailure } from './failure.js';
import { makeFolder } from './system/make-folder.js';
import { isAlive, startedAt, waitForExit } from './system/run.js';

/** A process and when it started: the id alone may belong to another process after a restart of the machine. */
interface ProcessMark {
  readonly pid: number;
  readonly startedAt: string | undefined;
}

const markOf = async (pid: number): Promise<ProcessMark> => ({ pid, startedAt: await startedAt(pid) });

async function isRunning(mark: ProcessMark): Promise<boolean> {
  return isAlive(mark.pid) && (await startedAt(mark.pid)) === mark.startedAt;
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** True when the step was done, false when it failed with `code`; every other failure is thrown. */
const succeeds = (step: Promise<unknown>, code: string): Promise<boolean> =>
  step.then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === code) return false;
      throw error;
    },
  );

/** The folder that holds everything of one stack. One supervisor at a time works in it. */
export class DataFolder {
  private noting: Promise<void> = Promise.resolve();
  private readonly marks = new Map<number, ProcessMark>();

  private constructor(readonly path: string) {}

  /**
   * Claims the folder, and ends the apps that a killed supervisor left.
   *
   * @throws StartFailure when it cannot be written, or a running stack works in it
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

  /** The lock appears with its content or not at all: an empty one would look like that of a dead supervisor. */
  private async lock(): Promise<void> {
    const file = this.file('supervisor.json');
    const mine = `${file}.${randomBytes(4).toString('hex')}`;
    await writeFile(mine, JSON.stringify(await markOf(process.pid)));
    try {
      for (let attempt = 1; attempt <= 100; attempt++) {
        if (await succeeds(link(mine, file), 'EEXIST')) return;
        const other = await readJson<ProcessMark>(file);
        if (other && (await isRunning(other))) throw this.inUse(other);
        await this.removeStale(file);
      }
    } finally {
      await rm(mine, { force: true });
    }
    throw new StartFailure(`DATA_DIR ${this.path} is being taken by another start.`);
  }

  /** One start at a time looks again and removes: no other one can have put a fresh lock in the place meanwhile. */
  private async removeStale(file: string): Promise<void> {
    const turn = `${file}.turn`;
    if (!(await succeeds(mkdir(turn), 'EEXIST'))) {
      const since = await stat(turn).catch(() => null);
      // Left by a start that was killed in these few milliseconds
      if (since && Date.now() - since.mtimeMs > 5_000) await rm(turn, { recursive: true, force: true });
      await sleep(20);
      return;
    }
    // Where none is, the one before has just removed it, and a fresh one may come at any moment
    if (await stat(file).catch(() => null)) {
      const other = await readJson<ProcessMark>(file);
      if (!other || !(await isRunning(other))) await rm(file, { force: true });
    }
    await rm(turn, { recursive: true, force: true });
  }

  private inUse({ pid }: ProcessMark): StartFailure {
    return new StartFailure(
      `DATA_DIR ${this.path} is in use by a running stack (process ${pid}); set another DATA_DIR and PORT.`,
    );
  }

  private async endLeftOvers(): Promise<void> {
    const marks = (await readJson<ProcessMark[]>(this.file('apps.json'))) ?? [];
    for (const mark of marks) {
      if (!(await isRunning(mark))) continue;
      // They have seen the supervisor go and are closing; some patience, then force
      if (!(await waitForExit(mark.pid, 5_000))) killGroup(mark.pid);
    }
    await rm(this.file('apps.json'), { force: true });
  }

  /** Remembers an app's process, for the start after a kill of this supervisor. */
  noteApp(pid: number): Promise<void> {
    // One after the other: an older list must not take the place of a newer one
    const noted = this.noting.then(() => this.note(pid));
    this.noting = noted.catch(() => undefined);
    return noted;
  }

  private async note(pid: number): Promise<void> {
    this.marks.set(pid, await markOf(pid));
    for (const known of this.marks.keys()) if (!isAlive(known)) this.marks.delete(known);
    await this.replace('apps.json', [...this.marks.values()]);
  }

  /** Writes a file whole or not at all, readable by this user only. */
  async replace(name: string, content: unknown): Promise<void> {
    const fresh = this.file(`${name}.${randomBytes(4).toString('hex')}`);
    await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(fresh, this.file(name));
  }

  /** Values that are made once and kept: secrets and ports. */
  async kept<T extends object>(name: string, make: () => T): Promise<T> {
    const known = await readJson<Partial<T>>(this.file(name));
    const content = { ...make(), ...known };
    if (JSON.stringify(known) !== JSON.stringify(content)) await this.replace(name, content);
    return content;
  }

  /** Gives the folder free, and removes it when it was temporary. */
  async release(temporary: boolean): Promise<void> {
    for (const name of ['stack.json', 'apps.json', 'supervisor.json']) await rm(this.file(name), { force: true });
    if (temporary) await rm(this.path, { recursive: true, force: true });
  }
}
