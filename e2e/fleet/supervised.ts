import { AppProcess, type End } from '../../tools/dev-stack/apps/app-process.js';
import { BackOff } from '../../tools/dev-stack/apps/back-off.js';
import type { FleetProcess } from './fleet.js';
import type { LogFile } from './log-file.js';

interface SupervisedOptions {
  readonly group: string;
  readonly number: number;
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: LogFile;
  /** Called with the id of every started process. */
  readonly onStart: (pid: number) => void;
}

/**
 * Constant restart delay. Kubernetes restarts a container immediately the first time, and after
 * 10 s, 20 s and so on later; repeated faults would measure these delays instead of recovery.
 */
const restartAfterMs = 500;

/** Returns whether a log line reports that the process is ready. */
const isReady = (line: string): boolean => line.startsWith('{') && line.includes('"msg":"ready"');

/** Supervised process of an app in a fleet. */
export class Supervised implements FleetProcess {
  readonly name: string;
  readonly group: string;
  readonly app: AppProcess;
  private readiness!: Promise<void>;
  private nowReady!: () => void;

  constructor({ group, number, file, environment, log, onStart }: SupervisedOptions) {
    this.group = group;
    this.name = `${group}#${number}`;
    this.expectReady();
    const output = log.of(this.name, (line) => isReady(line) && this.nowReady());
    this.app = new AppProcess({
      name: this.name,
      file,
      environment,
      output,
      backOff: new BackOff(restartAfterMs),
      onStart: (pid) => {
        onStart(pid);
        void this.app.ended.then(() => this.expectReady());
      },
    });
  }

  get pid(): number | undefined {
    return this.app.pid;
  }

  ready(): Promise<void> {
    return this.readiness;
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<End> {
    this.app.signal(signal);
    return this.app.ended;
  }

  freeze(): void {
    this.app.signal('SIGSTOP');
  }

  thaw(): void {
    this.app.signal('SIGCONT');
  }

  private expectReady(): void {
    this.readiness = new Promise((resolve) => (this.nowReady = resolve));
  }
}
