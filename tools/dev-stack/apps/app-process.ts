import { spawn, type ChildProcess } from 'node:child_process';
import { wrongSettingsExitCode } from '#config';
import type { BackOff } from './back-off.js';
import type { Output } from '../terminal/console.js';

interface AppProcessOptions {
  /** `catalog`, or `catalog#2` when there are several. */
  readonly name: string;
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly output: Output;
  readonly backOff: BackOff;
  /** Told of every process that is started. */
  readonly onStart: (pid: number) => void;
}

/**
 * V8 lets the heap of young objects grow to 48 MB while an app loads, and it stays so. With a quarter an app holds 17 MB less
 * and answers at the same cost of processor time.
 */
const youngHeap = '--max-semi-space-size=4';

/** How a process ended: its exit code, or the signal that killed it. */
export type End = number | NodeJS.Signals;

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
  private child: ChildProcess | undefined;
  /** The end of the present process; of the one before between two. */
  ended: Promise<End> = Promise.resolve(0);
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
    const { file, environment, output } = this.options;
    const since = Date.now();
    // Its own session: Ctrl-C in the terminal reaches the supervisor only, which stops the apps in order. The channel
    // tells the app when the supervisor has gone.
    const child = spawn(process.execPath, ['--enable-source-maps', youngHeap, file], {
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
    this.unaskedEnds += 1;
    const { backOff, output } = this.options;
    const delay = backOff.nextDelayMs(ranMs);
    output.say(`${this.name} ended (${how}); starting it again in ${delay / 1000} s`);
    this.restart = setTimeout(() => this.start(), delay);
  }

  /** Asks the process to end, and forces it when it has not after `withinMs`. It is not started again. */
  async stop(withinMs: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const child = this.child;
    if (!child) return;
    const force = setTimeout(() => {
      this.options.output.say(`${this.name} does not end; forcing it`);
      this.kill();
    }, withinMs);
    child.kill('SIGTERM');
    await this.ended;
    clearTimeout(force);
  }

  /** Sends a signal to the process, not to those it started. Nothing happens between two processes. */
  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Ends the process at once, as far as the system can. It is not started again. */
  kill(): void {
    this.stopping = true;
    clearTimeout(this.restart);
    if (this.child?.pid !== undefined) killGroup(this.child.pid);
  }
}

/** Asks apps to end, the gateways first, so that no request is cut off behind them; forces what is left after `withinMs`. */
export async function stopInOrder(apps: readonly AppProcess[], withinMs: number): Promise<void> {
  const until = Date.now() + withinMs;
  const isGateway = (app: AppProcess) => app.name.startsWith('gateway');
  await Promise.all(apps.filter(isGateway).map((app) => app.stop(withinMs / 2)));
  await Promise.all(apps.filter((app) => !isGateway(app)).map((app) => app.stop(until - Date.now())));
}
