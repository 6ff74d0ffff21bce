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

/** The line in which a piece of work waits, now and whenever it comes again. */
export class Turn {
  /** Set by the gate where the work waits. */
  onHurry: () => void = () => undefined;

  constructor(private current: Lane) {}

  get lane(): Lane {
    return this.current;
  }

  /** Somebody begins to wait for background work: it moves up, and still waits as long as it takes. */
  hurry(): void {
    if (this.current === 'urgent') return;
    this.current = 'urgent';
    this.onHurry();
  }
}

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
  async run<R>(work: () => Promise<R>, turn = new Turn('urgent')): Promise<R> {
    if (this.running < this.options.places) this.running += 1;
    else await (turn.lane === 'urgent' ? this.waitUrgently() : this.waitPatiently(turn));
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private waitUrgently(): Promise<void> {
    const { of, waiting, patienceMs } = this.options;
    const { urgent } = this.lines;
    if (urgent.size >= waiting) return Promise.reject(overloaded(of));
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        urgent.delete(enter);
        reject(overloaded(of));
      };
      const timer = setTimeout(giveUp, patienceMs);
      urgent.add(enter);
    });
  }

  private waitPatiently(turn: Turn): Promise<void> {
    const { urgent, patient } = this.lines;
    return new Promise((enter) => {
      patient.add(enter);
      turn.onHurry = () => patient.delete(enter) && urgent.add(enter);
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
}

/** @param of what there was too much of: `picture` */
export function overloaded(of: string): DomainError {
  const detail = `too many ${of} requests at once; try again in a moment`;
  return new DomainError(problems['service.overloaded'], detail, undefined, { 'Retry-After': '1' });
}
