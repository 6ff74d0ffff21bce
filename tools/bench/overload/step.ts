import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyOf, usageOf } from '../process-usage.js';
import { appOf } from '../../dev-stack/apps/apps.js';
import { type Figures, figuresOf, normalAfter } from './figures.js';
import type { Asked } from './offer.js';

/** What one offer did. */
export interface Facts extends Figures {
  /** How many times the capacity was offered. */
  readonly factor: number;
  /** Milliseconds until all was as usual when half of the capacity was offered again. */
  readonly backMs: number;
  /** Resident memory of each app at the end of the offer, in MB. */
  readonly memory: Readonly<Record<string, number>>;
  /** Of the questions to /health/ready, how many were answered 200. */
  readonly ready: string;
  /** Of the machine, over a minute: what else runs on it is among it. */
  readonly load: number;
}

interface Plan {
  readonly factor: number;
  readonly seconds: number;
  /** The p99 of half of the capacity; 0 when that is what is measured now. */
  readonly usualMs: number;
}

interface Stack {
  readonly pid: number;
  readonly localUrl: string;
}

/** A p99 below this is usual, whatever it was before. */
const usualAtLeastMs = 250;
const pauseMs = 2_000;

/** Measures one offer, which is followed by half of the capacity for as long. */
export async function stepOf(stack: Stack, plan: Plan, ask: () => Promise<Asked>): Promise<Facts> {
  await sleep(pauseMs);
  const health = watchHealth(stack.localUrl);
  const endMs = plan.seconds * 1_000;
  const memory = sleep(endMs - 500).then(() => memoryOf(stack.pid));
  const asked = await ask();
  const figures = figuresOf(asked, 0, endMs);
  const backMs = normalAfter(asked, endMs, Math.max(usualAtLeastMs, 2 * (plan.usualMs || figures.servedP99)));
  const facts = { memory: await memory, ready: await health.stop(), load: loadavg()[0]! };
  return { factor: plan.factor, ...figures, backMs, ...facts };
}

/** Asks as a load balancer does. */
function watchHealth(origin: string): { stop: () => Promise<string> } {
  const until = new AbortController();
  const watching = (async () => {
    let [asked, ready] = [0, 0];
    while (!until.signal.aborted) {
      asked += 1;
      const answer = await fetch(`${origin}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.ok) ready += 1;
      await sleep(500);
    }
    return `${ready}/${asked}`;
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
  for (const member of await familyOf(pid)) {
    const command = await readFile(`/proc/${member}/cmdline`, 'utf8').catch(() => '');
    const name = appOf(command);
    const usage = await usageOf(member).catch(() => undefined);
    if (name !== undefined && usage) memory[name] = Math.round(usage.rss / 1024 ** 2);
  }
  return memory;
}
