export interface FairQueueOptions {
  /** Limit of the weights of all running work together. */
  readonly permits: number;
  /** Limit of waiting interactive work that is not exclusive. */
  readonly maxWaiting: number;
  /**
   * Limit of waiting interactive work that is exclusive: its weight takes all permits. Default
   * `maxWaiting`.
   */
  readonly maxWaitingExclusive?: number;
  /** Time after which waiting interactive work without a background caller is rejected. */
  readonly timeoutMs: number;
  /** Returns the error of rejected work. */
  readonly overloaded: () => Error;
}

/**
 * A client waits for the result of `interactive` work. `background` work has no timeout and is
 * never rejected.
 */
export type Priority = 'interactive' | 'background';

/** Priorities, caller and weight of work. Interactive and background callers may share the work. */
export class Ticket {
  private readonly priorities: Set<Priority>;

  /**
   * @param caller user or address on whose behalf the work runs; each ticket without a caller
   *   counts as a separate caller
   * @param weight number of permits that the work takes, at most all of them
   */
  constructor(
    priority: Priority,
    readonly caller: string | undefined,
    readonly weight = 1,
  ) {
    this.priorities = new Set([priority]);
  }

  /**
   * Adds the priority of another caller of the same work. An interactive caller moves the work up;
   * with a background caller the work is never rejected.
   */
  join(priority: Priority): void {
    this.priorities.add(priority);
  }

  get isInteractive(): boolean {
    return this.priorities.has('interactive');
  }

  get isBackground(): boolean {
    return this.priorities.has('background');
  }
}

interface Entry {
  readonly ticket: Ticket;
  /** Start tag of start-time fair queueing: the entry with the lowest tag starts first. */
  readonly startTag: number;
  readonly admit: () => void;
  readonly reject: () => void;
}

/**
 * Number of times that light work may overtake exclusive work, which would starve without a limit.
 */
const maxOvertakes = 12;

/**
 * Concurrency limit with a fair queue. Interactive work runs before background work, and light
 * interactive work before exclusive interactive work. Among work of the same kind, callers
 * alternate (start-time fair queueing). When the queue is full, the last entry of the caller with
 * the most work is rejected: a caller with much work delays only itself. While the next work needs
 * more permits than are free, no lighter work behind it starts. The queue does not bound background
 * work: the code that submits it must.
 */
export class FairQueue {
  private free: number;
  /** Waiting entries in the order of arrival. */
  private readonly entries = new Set<Entry>();
  /** Highest start tag of the work that has started. It never decreases. */
  private virtualTime = 0;
  /** Start tags of the callers' next work. Tags up to the virtual time are omitted. */
  private readonly nextStartTags = new Map<string, number>();
  /** Number of times that light work has overtaken the first exclusive work. */
  private overtakes = 0;

  constructor(private readonly options: FairQueueOptions) {
    this.free = options.permits;
  }

  /**
   * Runs work as soon as it has its permits.
   *
   * @throws the error of `work`, or `overloaded` when the queue is full or after the timeout; never
   *   `overloaded` for a ticket with a background caller
   */
  async run<R>(work: () => Promise<R>, ticket: Ticket): Promise<R> {
    await this.acquire(ticket);
    try {
      return await work();
    } finally {
      this.free += this.weightOf(ticket);
      this.admit();
    }
  }

  /**
   * Returns the start tag: that of the caller's previous work plus the weight of that work, and at
   * least the virtual time.
   */
  private startTagOf(ticket: Ticket): number {
    if (ticket.caller === undefined) return this.virtualTime;
    const startTag = Math.max(this.virtualTime, this.nextStartTags.get(ticket.caller) ?? 0);
    this.nextStartTags.set(ticket.caller, startTag + this.weightOf(ticket));
    return startTag;
  }

  /**
   * Subtracts the weight of rejected work from the next start tag of its caller, so that rejected
   * work does not delay the caller's next work.
   */
  private refund(ticket: Ticket): void {
    const next = ticket.caller === undefined ? undefined : this.nextStartTags.get(ticket.caller);
    if (next !== undefined) this.nextStartTags.set(ticket.caller!, next - this.weightOf(ticket));
  }

  private start({ startTag, ticket }: Entry): void {
    this.free -= this.weightOf(ticket);
    this.virtualTime = Math.max(this.virtualTime, startTag);
    for (const [caller, next] of this.nextStartTags) if (next <= this.virtualTime) this.nextStartTags.delete(caller);
  }

  private acquire(ticket: Ticket): Promise<void> {
    const { timeoutMs, overloaded } = this.options;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const entry: Entry = {
        ticket,
        startTag: this.startTagOf(ticket),
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
        reject: () => {
          if (ticket.isBackground) return;
          clearTimeout(timer);
          this.entries.delete(entry);
          this.refund(ticket);
          reject(overloaded());
          // The rejected entry may have been the next entry, for which lighter entries waited
          this.admit();
        },
      };
      this.entries.add(entry);
      this.admit();
      if (!this.entries.has(entry)) return;
      this.excess(ticket)?.reject();
      if (this.entries.has(entry) && !ticket.isBackground) timer = setTimeout(entry.reject, timeoutMs);
    });
  }

  /**
   * Returns the entry to reject when the queue is too long: the last one of the caller with the
   * most work.
   */
  private excess(ticket: Ticket): Entry | undefined {
    const { maxWaiting, maxWaitingExclusive = maxWaiting } = this.options;
    const exclusive = this.isExclusive(ticket);
    const waiting = [...this.entries].filter(
      (it) => it.ticket.isInteractive && this.isExclusive(it.ticket) === exclusive,
    );
    if (ticket.isBackground || waiting.length <= (exclusive ? maxWaitingExclusive : maxWaiting)) return undefined;
    const rejectable = waiting.filter((it) => !it.ticket.isBackground);
    return rejectable.reduce((last, it) => (it.startTag >= last.startTag ? it : last));
  }

  private admit(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const { ticket } = next;
      if (this.weightOf(ticket) > this.free) return;
      this.entries.delete(next);
      this.start(next);
      const overtakes = !this.isExclusive(ticket) && this.firstExclusive() !== undefined;
      this.overtakes = overtakes ? this.overtakes + 1 : 0;
      next.admit();
    }
  }

  private next(): Entry | undefined {
    const exclusive = this.firstExclusive();
    const light = this.first(({ ticket }) => ticket.isInteractive && !this.isExclusive(ticket));
    const interactive = this.overtakes < maxOvertakes ? (light ?? exclusive) : (exclusive ?? light);
    return interactive ?? this.first(() => true);
  }

  private firstExclusive(): Entry | undefined {
    return this.first(({ ticket }) => ticket.isInteractive && this.isExclusive(ticket));
  }

  private first(matches: (entry: Entry) => boolean): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.entries) if (matches(entry) && (!first || entry.startTag < first.startTag)) first = entry;
    return first;
  }

  private weightOf({ weight }: Ticket): number {
    return Math.min(weight, this.options.permits);
  }

  private isExclusive(ticket: Ticket): boolean {
    return this.weightOf(ticket) === this.options.permits;
  }
}
