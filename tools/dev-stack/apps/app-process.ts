import { spawn, type ChildProcess } from 'node:child_process';
import { wrongSettingsExitCode } from '#config';
import type { BackOff } from './back-off.js';
import type { Output } from '../terminal/console.js';

interface AppProcessOptions {
  /** `catalog`, or `catalog#1`, `catalog#2` for several replicas. */
  readonly name: string;
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly output: Output;
  readonly backOff: BackOff;
  /** Called with the id of every started process. */
  readonly onStart: (pid: number) => void;
}

/**
 * V8 grows the young generation to 48 MB during startup and does not shrink it. With a quarter of
 * it an app uses 17 MB less memory at the same CPU time per request.
 */
const youngGenerationFlag = '--max-semi-space-size=4';

/** How a process ended: its exit code, or the signal that killed it. */
export type End = number | NodeJS.Signals;

/** Kills a process and its children; it must be the leader of a process group. */
export function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // All processes of the group have ended
  }
}

/** Supervised process of an app: restarted with backoff until it is stopped. */
export class AppProcess {
  private child: ChildProcess | undefined;
  /**
   * Resolves with the end of the current process. Before a restart, the end of the previous
   * process.
   */
  ended: Promise<End> = Promise.resolve(0);
  private restart: NodeJS.Timeout | undefined;
  private stopping = false;
  /** Number of unexpected exits. */
  unexpectedExits = 0;
  /** True after an exit because of invalid settings, which is not followed by a restart. */
  isMisconfigured = false;

  constructor(private readonly options: AppProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    const { file, environment, output } = this.options;
    const since = Date.now();
    // A separate session: Ctrl-C in the terminal reaches the supervisor only, which stops the apps
    // in order. A closed IPC channel signals the app that the supervisor has exited.
    const child = spawn(process.execPath, ['--enable-source-maps', youngGenerationFlag, file], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: environment,
    });
    this.child = child;
    output.show(child.stdout!);
    output.show(child.stderr!);
    this.ended = new Promise((resolve) => {
      const end = (how: string, end: End) => {
        if (child.pid !== undefined) killGroup(child.pid);
        this.child = undefined;
        resolve(end);
        if (end === wrongSettingsExitCode) this.isMisconfigured = true;
        else if (!this.stopping) this.startAgain(how, Date.now() - since);
      };
      child.once('error', (error) => end(error.message, 1));
      child.once('exit', (code, signal) =>
        signal ? end(`killed by ${signal}`, signal) : end(`exit code ${code ?? 0}`, code ?? 0),
      );
    });
    if (child.pid !== undefined) this.options.onStart(child.pid);
  }

  private startAgain(how: string, ranMs: number): void {
    this.unexpectedExits += 1;
    const { backOff, output } = this.options;
    const delay = backOff.nextDelayMs(ranMs);
    output.print(`${this.name} exited (${how}), restarting in ${delay / 1000} s`);
    this.restart = setTimeout(() => this.start(), delay);
  }

  /**
   * Sends SIGTERM to the process. If it still runs after `withinMs`, kills it and its children.
   * Resolves after its exit. Disables restarts.
   */
  async stop(withinMs: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const child = this.child;
    if (!child) return;
    const force = setTimeout(() => {
      this.options.output.print(`${this.name} does not exit, killing it`);
      this.kill();
    }, withinMs);
    child.kill('SIGTERM');
    await this.ended;
    clearTimeout(force);
  }

  /**
   * Sends a signal to the process, not to its children. No effect between an exit and the restart.
   */
  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Kills the process and its children. Disables restarts. */
  kill(): void {
    this.stopping = true;
    clearTimeout(this.restart);
    if (this.child?.pid !== undefined) killGroup(this.child.pid);
  }
}

/**
 * Stops the apps, gateways first, so that no open request is cut off. Kills gateways that run after
 * half of `withinMs`, and other apps after `withinMs`.
 */
export async function stopInOrder(apps: readonly AppProcess[], withinMs: number): Promise<void> {
  const until = Date.now() + withinMs;
  const isGateway = (app: AppProcess) => app.name.startsWith('gateway');
  await Promise.all(apps.filter(isGateway).map((app) => app.stop(withinMs / 2)));
  await Promise.all(apps.filter((app) => !isGateway(app)).map((app) => app.stop(until - Date.now())));
}
