import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../../tools/fleet/fleet.js';
import { check } from '../../tools/load/check.js';
import type { Ending, Load } from '../../tools/load/load.js';
import type { Fault } from './fault.js';
import { Watch } from './watch.js';

/** What a fault strikes: a fleet under load. */
export interface Struck {
  readonly fleet: Fleet;
  readonly load: Load;
}

/** What one strike led to. All times are milliseconds from the strike. */
export interface Run {
  readonly fault: string;
  readonly requests: number;
  readonly acknowledgedWrites: number;
  /** Attempts that failed, by kind: `503`, `no answer`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Until the first success of a request that was begun after the strike. */
  readonly firstSuccessMs: number;
  /** Until each kind of request has had one. */
  readonly allKindsMs: number;
  /** Until the last request that failed; 0 when none did. */
  readonly lastFailureMs: number;
  /** From the last answer until the work in the background had ended. */
  readonly settledMs: number;
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  /** Anything else that is not as promised. */
  readonly wrong: readonly string[];
}

const undisturbedMs = 2_000;
const backWithinMs = 60_000;
const calmWithinMs = 60_000;
const lapMs = 1_000;

const promised: ReadonlySet<Ending> = new Set([503, 504, 429]);
const broken: ReadonlySet<Ending> = new Set(['no answer', 'not connected']);

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

/** One lap without a failure, and a success of every kind before its end. */
async function calm(watch: Watch): Promise<void> {
  for (const until = Date.now() + calmWithinMs; ;) {
    await sleep(lapMs);
    if (watch.lap() === 0 && watch.successMs.every(Number.isFinite)) return;
    if (Date.now() > until) throw new Error(`Requests still fail ${calmWithinMs / 1000} s after the fault.`);
  }
}

const unpromised = ({ failures }: Watch, { breaksConnections }: Fault): string[] =>
  [...failures]
    .filter(([ending]) => !promised.has(ending) && !(breaksConnections && broken.has(ending)))
    .map(([ending, count]) => `${count} requests ended with ${ending}`);

/** Lets a fault strike a fleet under load, waits until all is well again, and looks at what is left of the writes. */
export async function runFault({ fleet, load }: Struck, fault: Fault): Promise<Run> {
  load.resume();
  const watch = new Watch(load);
  await sleep(undisturbedMs);
  watch.strike();
  const struck = complaint(fault.strike(fleet));
  watch.expectSuccess();
  const complaints = [await struck, await complaint(back(fleet)), await complaint(calm(watch))].flat();
  await load.rest();
  watch.lap();
  const findings = await check(fleet, load.ledger);
  for (const { network } of Object.values(fleet.servers)) network?.heal();
  return {
    fault: fault.name,
    requests: watch.requests,
    acknowledgedWrites: watch.acknowledgedWrites,
    failures: Object.fromEntries(watch.failures),
    firstSuccessMs: Math.round(Math.min(...watch.successMs)),
    allKindsMs: Math.round(Math.max(...watch.successMs)),
    lastFailureMs: Math.round(watch.lastFailureMs),
    settledMs: Math.round(findings.settledMs),
    lost: findings.lost,
    duplicated: findings.duplicated,
    wrong: [...complaints, ...unpromised(watch, fault), ...findings.wrong],
  };
}
