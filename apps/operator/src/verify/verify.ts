import { setTimeout as sleep } from 'node:timers/promises';
import { QueuedEvents } from '#events';
import { givenBlobStore } from '#storage';
import { openDatabase } from '../connections/database.js';
import type { Stores } from '../connections/stores.js';
import { surplusBlobs, textureBlobs } from './blob-checks.js';
import type { Check, Finding, Outcome, Stack } from './check.js';
import { OnTheWay } from './on-the-way.js';
import { failedJobs, unfinishedImages } from './queue-checks.js';
import { rowChecks } from './row-checks.js';
import { searchCheck } from './search-check.js';

export const checks: readonly Check[] = [
  ...rowChecks.filter(({ isNote }) => !isNote),
  searchCheck,
  textureBlobs,
  failedJobs,
  unfinishedImages,
  ...rowChecks.filter(({ isNote }) => isNote),
  ...surplusBlobs,
];

/** One line of the table. */
interface Line {
  readonly check: string;
  readonly checked: number;
  readonly wrong: number;
  readonly isNote: boolean;
  readonly examples: readonly string[];
}

interface VerifyOptions {
  readonly hash?: boolean;
  /** Between two looks at something that seems wrong. What a running system is about to put right is not told. */
  readonly againAfterMs?: number;
}

const examplesAtMost = 10;
const looks = 3;

/**
 * Compares what a stack keeps: counters with rows, rows of one service with those of another, rows with blobs, and what
 * is on its way. Reads only, and may run beside everything.
 */
export async function verify(at: Stores, { hash = false, againAfterMs = 2_000 }: VerifyOptions = {}): Promise<Line[]> {
  const readOnly = '-c default_transaction_read_only=on';
  const database = await openDatabase(at.databaseUrl, 'storefront-verify', readOnly);
  const queued = new QueuedEvents(at.jobsUrl);
  try {
    const stack: Stack = { database, queued, blobs: givenBlobStore(at.blobStoreUrl), hash };
    const first = new Map<Check, Outcome>();
    for (const check of checks) first.set(check, await check.look(stack));
    const last = await lookAgain(stack, first, againAfterMs);
    return checks.map((check) => lineOf(check, last.get(check)!));
  } finally {
    queued.close();
    await database.end();
  }
}

/** What is found every time, while no event is on its way that would explain it. */
async function lookAgain(stack: Stack, first: ReadonlyMap<Check, Outcome>, ms: number): Promise<Map<Check, Outcome>> {
  const last = new Map(first);
  for (let look = 2; look <= looks; look += 1) {
    const doubtful = [...last].filter(([{ isNote }, { findings }]) => !isNote && findings.length > 0);
    if (doubtful.length === 0) break;
    await sleep(ms);
    const onTheWay = await OnTheWay.read(stack);
    for (const [check, before] of doubtful) {
      const known = new Set(before.findings.map(({ what }) => what));
      const { checked, findings } = await check.look(stack);
      const stays = (it: Finding): boolean => known.has(it.what) && !onTheWay.explains(it);
      last.set(check, { checked, findings: findings.filter(stays) });
    }
  }
  return last;
}

const lineOf = ({ name, isNote }: Check, { checked, findings }: Outcome): Line => ({
  check: name,
  checked,
  wrong: findings.length,
  isNote: isNote === true,
  examples: findings.slice(0, examplesAtMost).map(({ what }) => what),
});

/** How many things are wrong; notes are not. */
export const wrongIn = (lines: readonly Line[]): number =>
  lines.reduce((sum, { wrong, isNote }) => sum + (isNote ? 0 : wrong), 0);

/** The table for people. */
export function table(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(({ check }) => check.length));
  const row = (check: string, checked: string, wrong: string): string =>
    `${check.padEnd(width)}  ${checked.padStart(9)}  ${wrong.padStart(6)}`;
  return [
    row('check', 'checked', 'wrong'),
    ...lines.flatMap(({ check, checked, wrong, examples }) => [
      row(check, String(checked), String(wrong)),
      ...examples.map((example) => `    ${example}`),
      ...(wrong > examples.length ? [`    and ${wrong - examples.length} more`] : []),
    ]),
    '',
    `${wrongIn(lines)} wrong`,
  ].join('\n');
}
