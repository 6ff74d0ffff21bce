import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { currentCall } from '#request-queue';

export interface GateOptions {
  /** What is refused when the gate is full, for the caller to read: `picture`. */
  readonly of: string;
  /** How much work may run at once: the sum of its weights. */
  readonly places: number;
  /** How many urgent ones may wait for a place. */
  readonly waiting: number;
  /** How many of those that run alone, because they weigh as much as there are places; `waiting` when not given. */
  readonly waitingAlone?: number;
  /** How long an urgent one waits, in milliseconds. */
  readonly patienceMs: number;
}

/** `urgent` work has somebody waiting for its answer; `patient` work is background work and waits as long as it takes. */
export type Lane = 'urgent' | 'patient';

/** How a piece of work waits, now and whenever it comes again. Both kinds of callers may want the same piece. */
export class Turn {
  private readonly lanes: Set<Lane>;

  /**
   * @param weight how many places it takes while it runs; all of them when it is more than there are
   * @param caller who is behind it; of nobody there may be as much as of everybody
   */
  constructor(
    lane: Lane,
    readonly weight = 1,
    readonly caller = currentCall()?.caller,
  ) {
    this.lanes = new Set([lane]);
  }

  /** Somebody else wants it too: it moves up when somebody waits, and is never refused when background work needs it. */
  join(lane: Lane): void {
    this.lanes.add(lane);
  }

  get isUrgent(): boolean {
    return this.lanes.has('urgent');
  }

  get isNeeded(): boolean {
    return this.lanes.has('patient');
  }
}

interface Piece {
  readonly turn: Turn;
  /** Its place among those of all callers; the lowest one begins. */
  readonly number: number;
  readonly enter: () => void;
  readonly refuse: () => void;
}

/** So many light ones go before one that runs alone and came earlier: all of them would be all that ever runs. */
const mostPassed = 12;

/**
 * Bounds how much work runs at once, and how much waits for it. Urgent work goes before patient work, and light urgent
 * work before that which runs alone; of the same kind the callers take turns, so that somebody who brings much waits for
 * himself, and when the line is full, what goes is his. Nobody overtakes the next one because it is too heavy for the places that are free.
 * The number of patient pieces is bounded by whoever brings them.
 */
export class Gate {
  private free: number;
  /** In the order in which they came. */
  private readonly line = new Set<Piece>();
  /** The number of the piece that began last. */
  private now = 0;
  /** The number that the next piece of a caller gets, where it is more than that: start-time fair queueing. */
  private readonly nextOf = new Map<string, number>();
  /** Light ones that went before the first one that runs alone. */
  private passed = 0;

  constructor(private readonly options: GateOptions) {
    this.free = options.places;
  }

  /** @throws DomainError `service.overloaded` when the line is full or did not move in time; never for needed work */
  async run<R>(work: () => Promise<R>, turn = new Turn('urgent')): Promise<R> {
    await this.wait(turn);
    try {
      return await work();
    } finally {
      this.free += this.weightOf(turn);
      this.letIn();
    }
  }

  /** Each piece of a caller comes as far behind his last one as that weighs, and never before what has begun. */
  private numberOf(turn: Turn): number {
    if (turn.caller === undefined) return this.now;
    const number = Math.max(this.now, this.nextOf.get(turn.caller) ?? 0);
    this.nextOf.set(turn.caller, number + this.weightOf(turn));
    return number;
  }

  /** What was refused is not held against its caller. */
  private takeBack(turn: Turn): void {
    const next = turn.caller === undefined ? undefined : this.nextOf.get(turn.caller);
    if (next !== undefined) this.nextOf.set(turn.caller!, next - this.weightOf(turn));
  }

  private begin({ number, turn }: Piece): void {
    this.free -= this.weightOf(turn);
    this.now = Math.max(this.now, number);
    for (const [caller, next] of this.nextOf) if (next <= this.now) this.nextOf.delete(caller);
  }

  private wait(turn: Turn): Promise<void> {
    const { of, patienceMs } = this.options;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const refuse = (): void => {
        if (turn.isNeeded) return;
        clearTimeout(timer);
        this.line.delete(piece);
        this.takeBack(turn);
        reject(overloaded(of));
        // It may have been the next one, for which others had to wait
        this.letIn();
      };
      const piece = { turn, number: this.numberOf(turn), enter, refuse };
      this.line.add(piece);
      this.letIn();
      if (!this.line.has(piece)) return;
      this.tooMany(turn)?.refuse();
      if (this.line.has(piece) && !turn.isNeeded) timer = setTimeout(refuse, patienceMs);
    });
  }

  /** Which one goes when the line is too long: the last one of who has the most. Undefined when there is room. */
  private tooMany(turn: Turn): Piece | undefined {
    const { waiting, waitingAlone = waiting } = this.options;
    const alone = this.isAlone(turn);
    const line = [...this.line].filter((it) => it.turn.isUrgent && this.isAlone(it.turn) === alone);
    if (turn.isNeeded || line.length <= (alone ? waitingAlone : waiting)) return undefined;
    const refusable = line.filter((it) => !it.turn.isNeeded);
    return refusable.reduce((last, it) => (it.number >= last.number ? it : last));
  }

  private letIn(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const weight = this.weightOf(next.turn);
      if (weight > this.free) return;
      this.line.delete(next);
      this.begin(next);
      const overtakes = !this.isAlone(next.turn) && this.firstAlone() !== undefined;
      this.passed = overtakes ? this.passed + 1 : 0;
      next.enter();
    }
  }

  private next(): Piece | undefined {
    const alone = this.firstAlone();
    const light = this.first(({ turn }) => turn.isUrgent && !this.isAlone(turn));
    const urgent = this.passed < mostPassed ? (light ?? alone) : (alone ?? light);
    return urgent ?? this.first(() => true);
  }

  private firstAlone(): Piece | undefined {
    return this.first(({ turn }) => turn.isUrgent && this.isAlone(turn));
  }

  private first(fits: (piece: Piece) => boolean): Piece | undefined {
    let first: Piece | undefined;
    for (const piece of this.line) if (fits(piece) && (!first || piece.number < first.number)) first = piece;
    return first;
  }

  private weightOf({ weight }: Turn): number {
    return Math.min(weight, this.options.places);
  }

  private isAlone(turn: Turn): boolean {
    return this.weightOf(turn) === this.options.places;
  }
}

/** @param of what there was too much of: `picture` */
export function overloaded(of: string): DomainError {
  const detail = `too many ${of} requests at once; try again in a moment`;
  return new DomainError(problems['service.overloaded'], detail, undefined, { 'Retry-After': '1' });
}
