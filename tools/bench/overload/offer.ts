import { setTimeout as sleep } from 'node:timers/promises';
import { Connections, type Ending } from './connections.js';

/** What is to be asked for so long, and how: at a rate, or by callers who each ask again when they have their answer. */
export interface Order {
  readonly origin: string;
  /** As they go to the socket. */
  readonly requests: readonly string[];
  /** One after the other, without a pause. */
  readonly legs: readonly Leg[];
}

export interface Leg {
  readonly seconds: number;
  readonly pace: { readonly rate: number } | { readonly callers: number };
}

/** What became of all that was asked, each at the same place of the three lists. */
export interface Asked {
  /** When it was due, in milliseconds from the beginning. */
  readonly dueAt: Float64Array;
  /** Milliseconds from then to its answer: what this process was late with is among it. */
  readonly tookMs: Float64Array;
  /** Statuses; 0 where there was no answer, -1 where the request could not be sent. */
  readonly endings: Int16Array;
  /** The processor time that asking took. */
  readonly cpuMs: number;
  readonly connections: number;
}

/** More than the server ever has open: if it were less, the generator would be the limit. */
const mostConnections = 3_000;
/** The longest that a request waits; those who have no answer by then have none. */
const patienceMs = 12_000;
const turnMs = 4;
const fewWarm = 32;
const mostWarm = mostConnections;
export const notSent = -1;

/** Asks, and notes when each answer came. */
export async function offer(order: Order): Promise<Asked> {
  const { hostname, port } = new URL(order.origin);
  const connections = new Connections(Number(port), hostname, mostConnections);
  // Node 20 takes one new connection in each turn of its loop, and a turn is long when there is much to do: clients that come
  // with new connections wait for that, and not for what is measured
  await connections.warm(Math.min(mostWarm, Math.max(...order.legs.map(neededBy))));
  const requests = order.requests.map((text) => Buffer.from(text));
  const notes = new Notes();
  const cpu = process.cpuUsage();
  let next = 0;
  const ask = (dueAt: number, then?: () => void): void => {
    const at = notes.begin(dueAt);
    const settle = (ending: Ending): void => {
      notes.end(at, ending);
      then?.();
    };
    const isSent = connections.send(requests[next++ % requests.length]!, settle);
    if (!isSent) settle(notSent);
  };
  let beginsAt = 0;
  for (const { pace, seconds } of order.legs) {
    const endsAt = beginsAt + seconds * 1_000;
    if ('rate' in pace) await atRate(pace.rate, { beginsAt, endsAt }, notes, ask);
    else await byCallers(pace.callers, endsAt, notes, ask);
    beginsAt = endsAt;
  }
  const { user, system } = process.cpuUsage(cpu);
  const until = performance.now() + patienceMs;
  while (notes.open > 0 && performance.now() < until) await sleep(10);
  const asked = { ...notes.lists(), cpuMs: (user + system) / 1_000, connections: connections.count };
  connections.close();
  return asked;
}

/** For a second of answers. */
const neededBy = ({ pace }: Leg): number => ('rate' in pace ? Math.max(fewWarm, pace.rate) : pace.callers);

type Ask = (dueAt: number, then?: () => void) => void;

/** Milliseconds from the beginning. */
interface Span {
  readonly beginsAt: number;
  readonly endsAt: number;
}

/** At even distances, however slow the answers are. */
async function atRate(rate: number, { beginsAt, endsAt }: Span, notes: Notes, ask: Ask): Promise<void> {
  const distanceMs = 1_000 / rate;
  for (let dueAt = beginsAt; dueAt < endsAt;) {
    await sleep(turnMs);
    for (const now = Math.min(notes.now(), endsAt); dueAt < now; dueAt += distanceMs) ask(dueAt);
    if (notes.now() >= endsAt) return;
  }
}

async function byCallers(callers: number, endsAt: number, notes: Notes, ask: Ask): Promise<void> {
  const again = (): void => {
    if (notes.now() < endsAt) ask(notes.now(), again);
  };
  for (let n = 0; n < callers; n++) again();
  await sleep(endsAt - notes.now());
}

class Notes {
  open = 0;
  private readonly startedAt = performance.now();
  private readonly dueAt: number[] = [];
  private readonly tookMs: number[] = [];
  private readonly endings: number[] = [];

  now(): number {
    return performance.now() - this.startedAt;
  }

  begin(dueAt: number): number {
    this.open += 1;
    this.dueAt.push(dueAt);
    this.tookMs.push(patienceMs);
    return this.endings.push(0) - 1;
  }

  end(at: number, ending: Ending): void {
    this.open -= 1;
    this.endings[at] = ending;
    this.tookMs[at] = this.now() - this.dueAt[at]!;
  }

  lists() {
    return {
      dueAt: Float64Array.from(this.dueAt),
      tookMs: Float64Array.from(this.tookMs),
      endings: Int16Array.from(this.endings),
    };
  }
}
