import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../fleet/fleet.js';
import { check } from '../load/check.js';
import type { Load } from '../load/load.js';
import { OutboxWatch } from '../load/outboxes.js';
import { type Fault, unexpectedOutcomes } from './fault.js';
import { Watch } from './watch.js';

/** Target of a fault: a fleet under load. */
export interface FaultTarget {
  readonly fleet: Fleet;
  readonly load: Load;
}

/** Results of one fault. Times in milliseconds. */
export interface Run {
  readonly fault: string;
  readonly requests: number;
  readonly acknowledgedWrites: number;
  /** Failed attempts by kind: `503`, `no response`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Time from the fault until the first success of a later request. */
  readonly firstSuccessMs: number;
  /** Time from the fault until a success of each kind of request. */
  readonly allKindsMs: number;
  /** Time from the fault until the last failed request; 0 without failures. */
  readonly lastFailureMs: number;
  /** Time from the last response until background work has finished. */
  readonly settledMs: number;
  /** Maximum age of an event in an outbox. */
  readonly oldestEventMs: number;
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  /** Other violations. */
  readonly wrong: readonly string[];
}

const undisturbedMs = 1_000;
const backWithinMs = 60_000;
const recoveryTimeoutMs = 60_000;
const quietPeriodMs = 1_000;
const pollIntervalMs = 100;

/** Returns the error of a step as a list of sentences; empty on success. */
const errorsOf = (step: Promise<unknown>): Promise<string[]> =>
  step.then(
    () => [],
    (error: unknown) => [String(error)],
  );

const limit = async (ms: number, failure: string): Promise<never> => {
  await sleep(ms, undefined, { ref: false });
  throw new Error(failure);
};

/** Waits until all processes run. */
const allReady = ({ processes }: Fleet): Promise<unknown> =>
  Promise.all(
    processes.map((process) =>
      Promise.race([process.ready(), limit(backWithinMs, `${process.name} is not ready again`)]),
    ),
  );

/** Waits for a period without failures and with a success of every kind. */
async function recovered(watch: Watch): Promise<void> {
  const until = Date.now() + recoveryTimeoutMs;
  for (let since = Date.now(); Date.now() < until;) {
    if (watch.addTally() > 0) since = Date.now();
    if (Date.now() - since >= quietPeriodMs && watch.successMs.every(Number.isFinite)) return;
    await sleep(pollIntervalMs);
  }
  throw new Error(`Requests still fail ${recoveryTimeoutMs / 1000} s after the fault.`);
}

/**
 * Injects a fault into a fleet under load, waits for recovery, and checks all acknowledged writes.
 */
export async function runFault({ fleet, load }: FaultTarget, fault: Fault): Promise<Run> {
  load.resume();
  const watch = new Watch(load);
  await sleep(undisturbedMs);
  watch.markFault();
  const outboxes = new OutboxWatch(fleet.servers.postgres.url);
  try {
    const injection = errorsOf(fault.inject(fleet));
    watch.expectSuccess();
    const errors = [await injection, await errorsOf(allReady(fleet)), await errorsOf(recovered(watch))].flat();
    await load.rest();
    watch.addTally();
    const findings = await check(fleet, load.ledger);
    for (const { network } of Object.values(fleet.servers)) network?.heal();
    const { ages } = outboxes;
    const wrong = [...errors, ...unexpectedOutcomes(watch.failures, fault), ...ages.findings, ...findings.wrong];
    return {
      fault: fault.name,
      ...figuresOf(watch),
      settledMs: Math.round(findings.settledMs),
      oldestEventMs: Math.round(1_000 * ages.oldest),
      lost: findings.lost,
      duplicated: findings.duplicated,
      // The check and the outbox watch may report the same finding
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
