import { setTimeout as sleep } from 'node:timers/promises';
import type { Generator } from '../overload/generator.js';
import { percentile } from '../overload/figures.js';
import { serializeRequest, type Call } from './calls.js';
import { cpuOf, type Side } from './sides.js';

/** Result of one call on one side at a concurrency. Times in milliseconds. */
export interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time per request in microseconds, by component (app, Redis, PostgreSQL). */
  readonly cpu: Readonly<Record<string, number>>;
  readonly totalCpu: number;
  /** Number of responses other than 2xx and of missing responses. */
  readonly failed: number;
}

interface Round {
  readonly call: Call;
  readonly concurrency: number;
  readonly seconds: number;
  readonly token: string;
  /** Process id whose CPU time is not counted. */
  readonly excludedPid?: number | undefined;
}

/** Pause before a measurement, so that a checkpoint or event of the other side is not counted. */
const restMs = 300;

export async function measure(side: Side, generator: Generator, round: Round): Promise<Measurement> {
  const { call, concurrency, seconds, token, excludedPid } = round;
  const requests = ((await call.fresh?.()) ?? call.requests).map((request) => serializeRequest(request, token));
  await sleep(restMs);
  const before = await cpuOf(side, excludedPid);
  const result = await generator.run(requests, [{ seconds, pace: { callers: concurrency } }]);
  if (call.writes) await side.waitForEvents?.();
  const after = await cpuOf(side, excludedPid);
  const served = [...result.outcomes.keys()].filter((at) => result.outcomes[at]! >= 200 && result.outcomes[at]! < 300);
  const times = served.map((at) => result.tookMs[at]!);
  // Not Math.max(...), which is limited to some 120,000 arguments
  const lastMs = served.reduce((last, at) => Math.max(last, result.dueAt[at]! + result.tookMs[at]!), seconds * 1_000);
  const cpu = Object.fromEntries(
    [...after].map(([part, ms]) => [part, ((ms - (before.get(part) ?? 0)) * 1_000) / served.length]),
  );
  return {
    requestsPerSecond: (served.length * 1_000) / lastMs,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    cpu,
    totalCpu: Object.values(cpu).reduce((sum, each) => sum + each, 0),
    failed: result.outcomes.length - served.length,
  };
}

const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Returns the median of each figure over several rounds, and the sum of `failed`. */
export function mediansOf(rounds: readonly Measurement[]): Measurement {
  const of = (figure: (round: Measurement) => number): number => median(rounds.map(figure));
  const parts = Object.keys(rounds[0]!.cpu);
  return {
    requestsPerSecond: of((it) => it.requestsPerSecond),
    p50: of((it) => it.p50),
    p99: of((it) => it.p99),
    cpu: Object.fromEntries(parts.map((part) => [part, of((it) => it.cpu[part] ?? 0)])),
    totalCpu: of((it) => it.totalCpu),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}
