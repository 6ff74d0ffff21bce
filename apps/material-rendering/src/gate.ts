import { problems } from '#contracts';
import { DomainError } from '#kernel';

export interface GateOptions {
  /** What is refused when the gate is full, for the caller to read: `picture`. */
  readonly of: string;
  /** How many pieces of work may run at once. */
  readonly places: number;
  /** How many urgent ones may wait for a place. */
  readonly waiting: number;
  /** How long an urgent one waits, in milliseconds. */
  readonly patienceMs: number;
}

/** `urgent` work has somebody waiting for its answer; `patient` work is background work and waits as long as it takes. */
export type Lane = 'urgent' | 'patient';

type Enter = () => void;

/**
 * Bounds how much work runs at once, and how much waits for it. Urgent work goes before patient work; the number of
 * patient pieces is bounded by whoever brings them.
 */
export class Gate {
  private running = 0;
  private readonly lines: Record<Lane, Set<Enter>> = { urgent: new Set(), patient: new Set() };

  constructor(private readonly options: GateOptions) {}

  /** @throws DomainError `service.overloaded` when the line is full or did not move in time */
  async run<R>(work: () => Promise<R>, lane: Lane = 'urgent'): Promise<R> {
    if (this.running < this.options.places) this.running += 1;
    else await this.wait(lane);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private wait(lane: Lane): Promise<void> {
    const line = this.lines[lane];
    if (lane === 'urgent' && line.size >= this.options.waiting) return Promise.reject(this.overloaded());
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        line.delete(enter);
        reject(this.overloaded());
      };
      const timer = lane === 'urgent' ? setTimeout(giveUp, this.options.patienceMs) : undefined;
      line.add(enter);
    });
  }

  /** The place is handed on, not given back, so that nobody slips in between. */
  private leave(): void {
    for (const line of [this.lines.urgent, this.lines.patient]) {
      const [next] = line;
      if (next === undefined) continue;
      line.delete(next);
      next();
      return;
    }
    this.running -= 1;
  }

  private overloaded(): DomainError {
    const detail = `too many ${this.options.of} requests at once; try again in a moment`;
    return new DomainError(problems['service.overloaded'], detail, undefined, { 'Retry-After': '1' });
  }
}
