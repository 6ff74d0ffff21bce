import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../fleet/fleet.js';
import { check } from '../load/check.js';
import type { Load } from '../load/load.js';
import { Notes } from '../load/notes.js';
import { OutboxWatch } from '../load/outboxes.js';
import type { DeliveryCheck, DeliveryFigures } from '../webhooks/check-deliveries.js';
import type { WebhookReceiver } from '../webhooks/receiver.js';
import { type Fault, unexpectedOutcomes } from './fault.js';
import { Watch } from './watch.js';

/** A fleet under load, with a webhook endpoint of each user, into which faults are injected. */
export interface FaultTarget {
  readonly fleet: Fleet;
  readonly load: Load;
  readonly receiver: WebhookReceiver;
  readonly deliveries: DeliveryCheck;
}

/** Result of one injection of a fault. Times are in milliseconds. */
export interface FaultRun extends DeliveryFigures {
  readonly fault: string;
  readonly requests: number;
  readonly acknowledgedWrites: number;
  /** Number of failed attempts by outcome: `503`, `no response`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Time from the fault to the first success of a request that was sent after it. */
  readonly firstSuccessMs: number;
  /** Time from the fault until requests of every kind have succeeded. */
  readonly allKindsMs: number;
  /** Time from the fault to the last failed request; 0 without failures. */
  readonly lastFailureMs: number;
  /** Time from the end of the load until background work has finished. */
  readonly settledMs: number;
  /** Time from the end of the load until the last event was delivered. */
  readonly deliveredMs: number;
  /** Maximum age of an event in an outbox. */
  readonly oldestEventMs: number;
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  /** Other findings: of the check, failures that the fault does not allow, errors of the fault. */
  readonly wrong: readonly string[];
}

const undisturbedMs = 1_000;
const readyTimeoutMs = 150_000;
const recoveryTimeoutMs = 60_000;
const quietPeriodMs = 1_000;
const pollIntervalMs = 100;

/** Returns the error of a step as the only entry of a list; an empty list on success. */
const errorsOf = (step: Promise<unknown>): Promise<string[]> =>
  step.then(
    () => [],
    (error: unknown) => [String(error)],
  );

const failAfter = async (ms: number, failure: string): Promise<never> => {
  await sleep(ms, undefined, { ref: false });
  throw new Error(failure);
};

/** Waits until all processes are ready. @throws Error for one that exceeds the timeout */
const waitUntilReady = ({ processes }: Fleet): Promise<unknown> =>
  Promise.all(
    processes.map((process) =>
      Promise.race([process.ready(), failAfter(readyTimeoutMs, `${process.name} is not ready again`)]),
    ),
  );

/**
 * Waits until requests of every kind have succeeded, and none has failed for a second.
 *
 * @throws Error after 60 s
 */
async function waitUntilRecovered(watch: Watch): Promise<void> {
  const until = Date.now() + recoveryTimeoutMs;
  for (let since = Date.now(); Date.now() < until;) {
    if (watch.addTally() > 0) since = Date.now();
    if (Date.now() - since >= quietPeriodMs && watch.successMs.every(Number.isFinite)) return;
    await sleep(pollIntervalMs);
  }
  throw new Error(`Requests still fail ${recoveryTimeoutMs / 1000} s after the fault.`);
}

/**
 * Injects a fault into a fleet under load, waits for recovery, pauses the load, and checks all
 * acknowledged writes.
 */
export async function runFault({ fleet, load, receiver, deliveries }: FaultTarget, fault: Fault): Promise<FaultRun> {
  load.resume();
  const watch = new Watch(load);
  await sleep(undisturbedMs);
  watch.markFault();
  const outboxes = new OutboxWatch(fleet.servers.postgres.url);
  try {
    const injection = errorsOf(fault.inject(fleet, receiver));
    watch.expectSuccess();
    const errors = [
      await injection,
      await errorsOf(waitUntilReady(fleet)),
      await errorsOf(waitUntilRecovered(watch)),
    ].flat();
    await load.rest();
    const restedAt = performance.now();
    watch.addTally();
    const findings = await check(fleet, load.ledger);
    const notes = new Notes();
    const figures = await deliveries.run(notes);
    const ofDeliveries = notes.findings(0);
    for (const { network } of Object.values(fleet.servers)) network?.heal();
    const { ages } = outboxes;
    const outcomes = unexpectedOutcomes(watch.failures, fault);
    const wrong = [...errors, ...outcomes, ...ages.findings, ...findings.wrong, ...ofDeliveries.wrong];
    return {
      fault: fault.name,
      ...figuresOf(watch),
      ...figures,
      deliveredMs: Math.max(0, Math.round(receiver.lastAcceptedAt - restedAt)),
      settledMs: Math.round(findings.settledMs),
      oldestEventMs: Math.round(1_000 * ages.oldest),
      lost: [...findings.lost, ...ofDeliveries.lost],
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
