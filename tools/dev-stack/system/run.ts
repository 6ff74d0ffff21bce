import { spawn, type SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Result of a command. `output` has the last 64 KB of both streams. */
export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
}

/**
 * Runs a command without a shell. Never throws: for a command that cannot be started the code is
 * null.
 */
export function run(
  command: string,
  parameters: readonly string[],
  options: SpawnOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-65_536);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => {
      resolve({ code: null, output: error.message });
    });
    // `exit`, not `close`: a server started by the command inherits the pipes
    child.once('exit', (code) => {
      setImmediate(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ code, output });
      });
    });
  });
}

/** Returns whether a process is a zombie, as in containers whose init does not reap. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Returns whether a process with this id runs, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return process.platform !== 'linux' || !isZombie(pid);
}

/**
 * Returns the program name of a running process (`postgres`); undefined if there is none or it is
 * unknown.
 */
export async function programOf(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  if (process.platform === 'linux')
    return readFile(`/proc/${pid}/comm`, 'utf8').then(
      (name) => name.trim(),
      () => undefined,
    );
  const { code, output } = await run('ps', ['-p', String(pid), '-o', 'comm=']);
  return code === 0 ? output.trim().split('/').at(-1) : undefined;
}

/** Waits for the exit of a process; returns false if it still runs after `withinMs`. */
export async function waitForExit(pid: number, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (isAlive(pid)) {
    if (Date.now() > end) return false;
    await sleep(20);
  }
  return true;
}

/**
 * Returns the start time of a process in a system-specific form, which distinguishes it from a
 * later one with the same id.
 */
export async function startedAt(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The program name in brackets may contain spaces; the start time is the 20th field after it
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  }
  const { code, output } = await run('ps', ['-p', String(pid), '-o', 'lstart=']);
  return code === 0 ? output.trim() : undefined;
}
