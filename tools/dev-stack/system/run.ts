import { spawn, type SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a finished command ended. `output` is the text of both streams, at most the last 64 KB. */
export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a command to its end without a shell. Never throws: a command that cannot be started ends with code null. */
export function run(command: string, parameters: readonly string[], options: SpawnOptions = {}): Promise<Finished> {
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
    // `exit`, not `close`: a server started by the command inherits the pipes and would keep them open
    child.once('exit', (code) => {
      setImmediate(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ code, output });
      });
    });
  });
}

/** In a container whose first process collects nobody, an ended process stays listed as a zombie for ever. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** True while a process with this id runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return process.platform !== 'linux' || !isZombie(pid);
}

/** The name of a running process' program (`postgres`), undefined when there is none or the system does not tell. */
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

/** Waits until the process is gone; false when it still lives after `withinMs`. */
export async function waitForExit(pid: number, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (isAlive(pid)) {
    if (Date.now() > end) return false;
    await sleep(20);
  }
  return true;
}

/** When a process started, in words of the system, to tell it from a later one with the same id. */
export async function startedAt(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The program's name in brackets may hold spaces; the start is the 20th field after it
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  }
  const { code, output } = await run('ps', ['-p', String(pid), '-o', 'lstart=']);
  return code === 0 ? output.trim() : undefined;
}
