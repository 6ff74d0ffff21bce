import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTreeOf, usageOf } from '../process-usage.js';
import { appOf } from '../../dev-stack/apps/apps.js';
import { type Figures, figuresOf, recoveryAfter } from './figures.js';
import type { LoadResult } from './send-load.js';

/** Results of one load step. */
export interface StepResult extends Figures {
  /** Load as a multiple of the capacity. */
  readonly factor: number;
  /** Recovery time in milliseconds at half of the capacity after the step. */
  readonly recoveryMs: number;
  /** Resident memory of each app at the end of the step, in MB. */
  readonly memory: Readonly<Record<string, number>>;
  /** Requests to /health/ready with status 200 and their total: `9/9`. */
  readonly ready: string;
  /** Load average of the machine over one minute, including other programs. */
  readonly load: number;
}

interface Plan {
  readonly factor: number;
  readonly seconds: number;
  /** p99 at half of the capacity; 0 if that is measured now. */
  readonly usualMs: number;
}

interface Stack {
  readonly pid: number;
  readonly localUrl: string;
}

/** Least limit of the p99 with which a step counts as recovered. */
const minUsualMs = 250;
const pauseMs = 2_000;

/** Measures one load step, followed by half of the capacity for the same time. */
export async function measureStep(stack: Stack, plan: Plan, runLoad: () => Promise<LoadResult>): Promise<StepResult> {
  await sleep(pauseMs);
  const health = watchHealth(stack.localUrl);
  const endMs = plan.seconds * 1_000;
  const memory = sleep(endMs - 500).then(() => memoryOf(stack.pid));
  const result = await runLoad();
  const figures = figuresOf(result, 0, endMs);
  const recoveryMs = recoveryAfter(result, endMs, Math.max(minUsualMs, 2 * (plan.usualMs || figures.servedP99)));
  const facts = { memory: await memory, ready: await health.stop(), load: loadavg()[0]! };
  return { factor: plan.factor, ...figures, recoveryMs, ...facts };
}

/** Polls the readiness endpoint as a load balancer does. */
function watchHealth(origin: string): { stop: () => Promise<string> } {
  const until = new AbortController();
  const watching = (async () => {
    let [total, ready] = [0, 0];
    while (!until.signal.aborted) {
      total += 1;
      const response = await fetch(`${origin}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
      await response?.arrayBuffer();
      if (response?.ok) ready += 1;
      await sleep(500);
    }
    return `${ready}/${total}`;
  })();
  return {
    stop: () => {
      until.abort();
      return watching;
    },
  };
}

async function memoryOf(pid: number): Promise<Record<string, number>> {
  const memory: Record<string, number> = {};
  for (const member of await processTreeOf(pid)) {
    const command = await readFile(`/proc/${member}/cmdline`, 'utf8').catch(() => '');
    const name = appOf(command);
    const usage = await usageOf(member).catch(() => undefined);
    if (name !== undefined && usage) memory[name] = Math.round(usage.rss / 1024 ** 2);
  }
  return memory;
}
