import { setTimeout as sleep } from 'node:timers/promises';
import { QueuedEvents } from '#events';
import { blobStoreFromEnvironment } from '#storage';
import { openDatabase } from '../connections/database.js';
import type { Stores } from '../connections/stores.js';
import { importedBlobs, unreferencedBlobChecks, textureBlobs } from './blob-checks.js';
import type { Check, Finding, Outcome, Stack } from './check.js';
import { PendingEvents } from './pending-events.js';
import { failedJobs, unfinishedImages } from './queue-checks.js';
import { rowChecks } from './row-checks.js';
import { searchCheck } from './search-check.js';

export const checks: readonly Check[] = [
  ...rowChecks.filter(({ isNote }) => !isNote),
  searchCheck,
  textureBlobs,
  importedBlobs,
  failedJobs,
  unfinishedImages,
  ...rowChecks.filter(({ isNote }) => isNote),
  ...unreferencedBlobChecks,
];

/** Result of a check. */
export interface Line {
  readonly check: string;
  readonly checked: number;
  readonly wrong: number;
  readonly isNote: boolean;
  readonly examples: readonly string[];
}

interface VerifyOptions {
  readonly hash?: boolean;
  /** Pause between two passes over findings. */
  readonly pauseMs?: number;
}

const maxExamples = 10;
const passes = 3;

/**
 * Checks the consistency of a stack: counters with rows, rows of different services, rows with
 * blobs, and jobs. Reads only, and can run on a loaded stack.
 */
export async function verify(at: Stores, { hash = false, pauseMs = 2_000 }: VerifyOptions = {}): Promise<Line[]> {
  const readOnly = '-c default_transaction_read_only=on';
  const database = await openDatabase(at.databaseUrl, 'storefront-verify', readOnly);
  const queued = new QueuedEvents(at.jobsUrl);
  try {
    const stack: Stack = { database, queued, blobs: blobStoreFromEnvironment(at.blobStoreUrl), hash };
    const first = new Map<Check, Outcome>();
    for (const check of checks) first.set(check, await check.run(stack));
    const last = await confirmFindings(stack, first, pauseMs);
    return checks.map((check) => lineOf(check, last.get(check)!));
  } finally {
    queued.close();
    await database.end();
  }
}

/**
 * Repeats checks with findings, except notes. Drops findings that do not recur or that a pending
 * event may correct.
 */
async function confirmFindings(
  stack: Stack,
  first: ReadonlyMap<Check, Outcome>,
  ms: number,
): Promise<Map<Check, Outcome>> {
  const last = new Map(first);
  for (let pass = 2; pass <= passes; pass += 1) {
    const unconfirmed = [...last].filter(([{ isNote }, { findings }]) => !isNote && findings.length > 0);
    if (unconfirmed.length === 0) break;
    await sleep(ms);
    const pending = await PendingEvents.read(stack);
    for (const [check, before] of unconfirmed) {
      const earlier = new Set(before.findings.map(({ what }) => what));
      const { checked, findings } = await check.run(stack);
      const recurs = (it: Finding): boolean => earlier.has(it.what) && !pending.mayCorrect(it);
      last.set(check, { checked, findings: findings.filter(recurs) });
    }
  }
  return last;
}

const lineOf = ({ name, isNote }: Check, { checked, findings }: Outcome): Line => ({
  check: name,
  checked,
  wrong: findings.length,
  isNote: isNote === true,
  examples: findings.slice(0, maxExamples).map(({ what }) => what),
});

/** Returns the number of findings without those of notes. */
export const wrongIn = (lines: readonly Line[]): number =>
  lines.reduce((sum, { wrong, isNote }) => sum + (isNote ? 0 : wrong), 0);
