import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../fleet/fleet.js';
import { check } from '../load/check.js';
import type { Load } from '../load/load.js';
import { OutboxWatch } from '../load/outboxes.js';
import { type Fault, unpromised } from './fault.js';
import { Watch } from './watch.js';

/** What a fault strikes: a fleet under load. */
export interface Struck {
  readonly fleet: Fleet;
  readonly load: Load;
}

/** What one strike led to. All times are in milliseconds. */
export interface Run {
  readonly fault: string;
  readonly requests: number;
  readonly acknowledgedWrites: number;
  /** Attempts that failed, by kind: `503`, `no answer`. */
  readonly failures: Readonly<Record<string, number>>;
  /** From the strike until the first success of a request that was begun after it. */
  readonly firstSuccessMs: number;
  /** From the strike until each kind of request has had one. */
  readonly allKindsMs: number;
  /** From the strike until the last request that failed; 0 when none did. */
  readonly lastFailureMs: number;
  /** From the last answer until the work in the background had ended. */
  readonly settledMs: number;
  /** The greatest age that an event reached in an outbox. */
  readonly oldestEventMs: number;
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  /** Anything else that is not as promised. */
  readonly wrong: readonly string[];
}

const undisturbedMs = 1_000;
const backWithinMs = 60_000;
const calmWithinMs = 60_000;
const calmMs = 1_000;
const lookEveryMs = 100;

/** @returns what is wrong, in sentences: nothing when it ends as it shall */
const complaint = (step: Promise<unknown>): Promise<string[]> =>
  step.then(
    () => [],
    (error: unknown) => [String(error)],
  );

const limit = async (ms: number, failure: string): Promise<never> => {
  await sleep(ms, undefined, { ref: false });
  throw new Error(failure);
};

/** All processes run again. */
const back = ({ processes }: Fleet): Promise<unknown> =>
  Promise.all(
    processes.map((process) =>
      Promise.race([process.ready(), limit(backWithinMs, `${process.name} is not ready again`)]),
    ),
  );

/** A while without a failure, and a success of every kind before its end. */
async function calm(watch: Watch): Promise<void> {
  const until = Date.now() + calmWithinMs;
  for (let since = Date.now(); Date.now() < until;) {
    if (watch.lap() > 0) since = Date.now();
    if (Date.now() - since >= calmMs && watch.successMs.every(Number.isFinite)) return;
    await sleep(lookEveryMs);
  }
  throw new Error(`Requests still fail ${calmWithinMs / 1000} s after the fault.`);
}

/** Lets a fault strike a fleet under load, waits until all is well again, and looks at what is left of the writes. */
export async function runFault({ fleet, load }: Struck, fault: Fault): Promise<Run> {
  load.resume();
  const watch = new Watch(load);
  await sleep(undisturbedMs);
  watch.strike();
  const outboxes = new OutboxWatch(fleet.servers.postgres.url);
  try {
    const struck = complaint(fault.strike(fleet));
    watch.expectSuccess();
    const complaints = [await struck, await complaint(back(fleet)), await complaint(calm(watch))].flat();
    await load.rest();
    watch.lap();
    const findings = await check(fleet, load.ledger);
    for (const { network } of Object.values(fleet.servers)) network?.heal();
    const { ages } = outboxes;
    const wrong = [...complaints, ...unpromised(watch.failures, fault), ...ages.complaints, ...findings.wrong];
    return {
      fault: fault.name,
      ...figuresOf(watch),
      settledMs: Math.round(findings.settledMs),
      oldestEventMs: Math.round(1_000 * ages.oldest),
      lost: findings.lost,
      duplicated: findings.duplicated,
      // The check looks at the outboxes as well
      wrong: [...new Set(wrong)],
    };
  } finally {
    await outboxes.stop();
  }
}

const figuresOf = ({ requests, acknowledgedWrites, failures, successMs, lastFailureMs }: Watch) => ({
  requests,
  acknowledgedWrites,
  failures: Object.fromEntries(failures),
  firstSuccessMs: Math.round(Math.min(...successMs)),
  allKindsMs: Math.round(Math.max(...successMs)),
  lastFailureMs: Math.round(lastFailureMs),
});
