export interface FairQueueOptions {
  /** How much work runs at once: the sum of its weights. */
  readonly permits: number;
  /** How much interactive work may wait. */
  readonly maxWaiting: number;
  /** How much of the interactive work that runs alone may wait, because its weight takes all permits. Default `maxWaiting`. */
  readonly maxWaitingAlone?: number;
  /** How long interactive work waits, in milliseconds. */
  readonly timeoutMs: number;
  /** The error of work that is rejected. */
  readonly overloaded: () => Error;
}

/** A client waits for the result of `interactive` work. `background` work waits as long as it takes. */
export type Priority = 'interactive' | 'background';

/** Describes work to the queue, for each of its runs. Interactive and background callers may share the same work. */
export class Ticket {
  private readonly priorities: Set<Priority>;

  /**
   * @param caller on whose behalf the work runs; without one, any number of tickets count as many callers
   * @param weight number of permits that the work takes, at most all of them
   */
  constructor(
    priority: Priority,
    readonly caller: string | undefined,
    readonly weight = 1,
  ) {
    this.priorities = new Set([priority]);
  }

  /** Adds a caller of the same work: with an interactive one it moves up, with a background one it is never rejected. */
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
  /** Start tag of start-time fair queueing: the entry with the lowest one starts. */
  readonly startTag: number;
  readonly admit: () => void;
  readonly reject: () => void;
}

/** How much light work overtakes work that runs alone and came earlier, which would never run without a limit. */
const maxOvertakes = 12;

/**
 * Concurrency limit with a fair queue. Interactive work runs before background work, and light interactive work before that
 * which runs alone. Among work of the same kind, callers take turns (start-time fair queueing), and when the queue is full, the
 * last entry of the caller with the most work is rejected: a caller with much work delays nobody but itself. Work is not
 * overtaken because it is too heavy for the free permits. The amount of background work is bounded by its callers.
 */
export class FairQueue {
  private free: number;
  /** In the order of arrival. */
  private readonly entries = new Set<Entry>();
  /** The start tag of the work that started last. */
  private virtualTime = 0;
  /** The start tag of the next work of a caller, when it is higher than the virtual time. */
  private readonly nextStartTags = new Map<string, number>();
  /** Light work that has overtaken the first work that runs alone. */
  private overtakes = 0;

  constructor(private readonly options: FairQueueOptions) {
    this.free = options.permits;
  }

  /** @throws the error `overloaded` when the queue is full or the timeout is over; never for a ticket of background work */
  async run<R>(work: () => Promise<R>, ticket: Ticket): Promise<R> {
    await this.acquire(ticket);
    try {
      return await work();
    } finally {
      this.free += this.weightOf(ticket);
      this.admit();
    }
  }

  /** The work of a caller comes after its work before by the weight of that, and never before what has started. */
  private startTagOf(ticket: Ticket): number {
    if (ticket.caller === undefined) return this.virtualTime;
    const startTag = Math.max(this.virtualTime, this.nextStartTags.get(ticket.caller) ?? 0);
    this.nextStartTags.set(ticket.caller, startTag + this.weightOf(ticket));
    return startTag;
  }

  /** Rejected work does not delay the next work of its caller. */
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
          // It may have been the next one, for which others had to wait
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

  /** Returns the entry to reject when the queue is too long: the last one of the caller with the most work. */
  private excess(ticket: Ticket): Entry | undefined {
    const { maxWaiting, maxWaitingAlone = maxWaiting } = this.options;
    const alone = this.isAlone(ticket);
    const waiting = [...this.entries].filter((it) => it.ticket.isInteractive && this.isAlone(it.ticket) === alone);
    if (ticket.isBackground || waiting.length <= (alone ? maxWaitingAlone : maxWaiting)) return undefined;
    const rejectable = waiting.filter((it) => !it.ticket.isBackground);
    return rejectable.reduce((last, it) => (it.startTag >= last.startTag ? it : last));
  }

  private admit(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const { ticket } = next;
      if (this.weightOf(ticket) > this.free) return;
      this.entries.delete(next);
      this.start(next);
      const overtakes = !this.isAlone(ticket) && this.firstAlone() !== undefined;
      this.overtakes = overtakes ? this.overtakes + 1 : 0;
      next.admit();
    }
  }

  private next(): Entry | undefined {
    const alone = this.firstAlone();
    const light = this.first(({ ticket }) => ticket.isInteractive && !this.isAlone(ticket));
    const interactive = this.overtakes < maxOvertakes ? (light ?? alone) : (alone ?? light);
    return interactive ?? this.first(() => true);
  }

  private firstAlone(): Entry | undefined {
    return this.first(({ ticket }) => ticket.isInteractive && this.isAlone(ticket));
  }

  private first(matches: (entry: Entry) => boolean): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.entries) if (matches(entry) && (!first || entry.startTag < first.startTag)) first = entry;
    return first;
  }

  private weightOf({ weight }: Ticket): number {
    return Math.min(weight, this.options.permits);
  }

  private isAlone(ticket: Ticket): boolean {
    return this.weightOf(ticket) === this.options.permits;
  }
}
