import { setImmediate as tick } from 'node:timers/promises';
import { withTimeout } from '#concurrency';
import { processEnding } from './process-ending.js';

/** Says whether a part that the process needs is there. */
type Check = () => boolean | Promise<boolean>;

type PartStatus = 'ok' | 'unavailable';

interface ReadinessAnswer {
  readonly status: 'ok' | 'starting' | 'unavailable' | 'leaving';
  /** What the process needs, by name. */
  readonly parts: Readonly<Record<string, PartStatus>>;
}

const answerWithinMs = 2_000;

/** What a process needs so that work may be given to it. */
export class Readiness {
  private readonly checks = new Map<string, Set<Check>>();
  private hasStarted = false;
  private asking: Promise<ReadinessAnswer> | undefined;

  constructor(private readonly ending: AbortSignal = processEnding) {}

  /**
   * Names a part without which the process is not ready. A name that is given several times is there when all of them say so.
   *
   * @param check has two seconds; an error means that the part is not there
   * @returns what takes it away again
   */
  needs(part: string, check: Check): () => void {
    const checks = this.checks.get(part) ?? new Set();
    this.checks.set(part, checks.add(check));
    return () => {
      checks.delete(check);
      if (checks.size === 0 && this.checks.get(part) === checks) this.checks.delete(part);
    };
  }

  /** Everything is there that can be asked: before, the answer is that the process starts. */
  started(): void {
    this.hasStarted = true;
  }

  /** One look for all who ask at the same time. */
  answer(): Promise<ReadinessAnswer> {
    return (this.asking ??= this.ask().finally(() => (this.asking = undefined)));
  }

  private isEnding(): boolean {
    return this.ending.aborted;
  }

  private async ask(): Promise<ReadinessAnswer> {
    if (this.isEnding()) return { status: 'leaving', parts: {} };
    const statuses = await Promise.all(
      [...this.checks].map(async ([part, all]) => [part, await statusOf(all)] as const),
    );
    const parts = Object.fromEntries(statuses);
    // It may have been asked to end meanwhile
    if (this.isEnding()) return { status: 'leaving', parts };
    if (!this.hasStarted) return { status: 'starting', parts };
    return { status: statuses.every(([, status]) => status === 'ok') ? 'ok' : 'unavailable', parts };
  }
}

async function statusOf(checks: Iterable<Check>): Promise<PartStatus> {
  const all = Promise.all([...checks].map(async (check) => check())).then((each) => each.every(Boolean));
  try {
    // After a process stood still, its timers come before what there is to read
    return (await withTimeout(all, answerWithinMs, () => tick(false))) ? 'ok' : 'unavailable';
  } catch {
    // Why is in the log of the part itself
    return 'unavailable';
  }
}

/** Of this process. */
export const readiness = new Readiness();
