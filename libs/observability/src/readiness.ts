import { setImmediate as tick } from 'node:timers/promises';
import { withTimeout } from '#concurrency';
import { shutdownSignal } from './shutdown-signal.js';

/** Returns true if a part that the process needs is available. */
type Check = () => boolean | Promise<boolean>;

type PartStatus = 'ok' | 'unavailable';

interface ReadinessReport {
  readonly status: 'ok' | 'starting' | 'unavailable' | 'shutting-down';
  /** Status of each part that the process needs. */
  readonly parts: Readonly<Record<string, PartStatus>>;
}

const checkTimeoutMs = 2_000;

/** Readiness of the process: the checks of all parts that it needs. */
export class Readiness {
  private readonly checks = new Map<string, Set<Check>>();
  private hasStarted = false;
  private pending: Promise<ReadinessReport> | undefined;

  constructor(private readonly shutdown: AbortSignal = shutdownSignal) {}

  /**
   * Adds a check of a part without which the process is not ready. If several checks have the same
   * name, all must pass.
   *
   * @param check is limited to two seconds; an error counts as unavailable
   * @returns a function that removes the check
   */
  addCheck(part: string, check: Check): () => void {
    const checks = this.checks.get(part) ?? new Set();
    this.checks.set(part, checks.add(check));
    return () => {
      checks.delete(check);
      if (checks.size === 0 && this.checks.get(part) === checks) this.checks.delete(part);
    };
  }

  /** Ends the status `starting`, when all checks have been added. */
  markStarted(): void {
    this.hasStarted = true;
  }

  /** Returns the readiness. Concurrent calls share the running checks. */
  report(): Promise<ReadinessReport> {
    return (this.pending ??= this.runChecks().finally(() => (this.pending = undefined)));
  }

  private isShuttingDown(): boolean {
    return this.shutdown.aborted;
  }

  private async runChecks(): Promise<ReadinessReport> {
    if (this.isShuttingDown()) return { status: 'shutting-down', parts: {} };
    const statuses = await Promise.all(
      [...this.checks].map(async ([part, all]) => [part, await statusOf(all)] as const),
    );
    const parts = Object.fromEntries(statuses);
    // The shutdown may have begun during the checks
    if (this.isShuttingDown()) return { status: 'shutting-down', parts };
    if (!this.hasStarted) return { status: 'starting', parts };
    return { status: statuses.every(([, status]) => status === 'ok') ? 'ok' : 'unavailable', parts };
  }
}

async function statusOf(checks: Iterable<Check>): Promise<PartStatus> {
  const all = Promise.all([...checks].map(async (check) => check())).then((each) => each.every(Boolean));
  try {
    // After a blocked event loop, timers run before pending I/O: let the I/O complete first
    return (await withTimeout(all, checkTimeoutMs, () => tick(false))) ? 'ok' : 'unavailable';
  } catch {
    // The part logs the reason
    return 'unavailable';
  }
}

/** Readiness of this process. */
export const readiness = new Readiness();
