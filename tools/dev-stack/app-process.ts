import { spawn, type ChildProcess } from 'node:child_process';
import { wrongSettingsExitCode } from '#config';
import { BackOff } from './back-off.js';
import { say, showLines } from './console.js';

export interface AppProcessOptions {
  /** `catalog`, or `catalog#2` when there are several. */
  readonly name: string;
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly nameWidth: number;
  readonly colour: number;
  /** Told of every process that is started. */
  readonly onStart: (pid: number) => void;
}

/** Ends a process at once, and those it started: it was started as the first of a group. */
export function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Nobody is left
  }
}

/** One process of an app, kept running until it is stopped. */
export class AppProcess {
  private readonly backOff = new BackOff();
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private restart: NodeJS.Timeout | undefined;
  private stopping = false;
  /** How often it ended without being asked to. */
  unaskedEnds = 0;
  /** It said that its settings are wrong: it is not started again. */
  isMisconfigured = false;

  constructor(private readonly options: AppProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    const { name, file, environment, nameWidth, colour } = this.options;
    const since = Date.now();
    // Its own session: Ctrl-C in the terminal reaches the supervisor only, which stops the apps in order. The channel
    // tells the app when the supervisor has gone.
    const child = spawn(process.execPath, ['--enable-source-maps', file], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: environment,
    });
    this.child = child;
    showLines(child.stdout!, name, nameWidth, colour);
    showLines(child.stderr!, name, nameWidth, colour);
    if (child.pid !== undefined) this.options.onStart(child.pid);
    this.ended = new Promise((resolve) => {
      const end = (how: string, code?: number | null) => {
        if (child.pid !== undefined) killGroup(child.pid);
        this.child = undefined;
        resolve();
        if (code === wrongSettingsExitCode) this.isMisconfigured = true;
        else if (!this.stopping) this.startAgain(how, Date.now() - since);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal ? `killed by ${signal}` : `exit code ${code ?? 0}`, code));
    });
  }

  private startAgain(how: string, ranMs: number): void {
    this.unaskedEnds += 1;
    const delay = this.backOff.nextDelayMs(ranMs);
    say(`${this.name} ended (${how}); starting it again in ${delay / 1000} s`);
    this.restart = setTimeout(() => this.start(), delay);
  }

  /** Asks the process to end, and forces it when it has not after `withinMs`. It is not started again. */
  async stop(withinMs: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const child = this.child;
    if (!child) return;
    const force = setTimeout(() => {
      say(`${this.name} does not end; forcing it`);
      this.kill();
    }, withinMs);
    child.kill('SIGTERM');
    await this.ended;
    clearTimeout(force);
  }

  /** Ends the process at once, as far as the system can. */
  kill(): void {
    if (this.child?.pid !== undefined) killGroup(this.child.pid);
  }
}
