import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { allFaults } from './all-faults.js';
import { diskFaults, mountSmallStore, type SmallStore } from './disk-faults.js';
import type { Fault } from './fault.js';
import { runFault, type FaultRun } from './run-fault.js';
import { eventTable, eventTablePattern, faultTable, isClean, runLine, tablePattern } from './table.js';
import { startFaultContext, type FaultContext, type FaultContextOptions } from './fault-context.js';

const help = `Usage: npm run test:faults -- [--runs 10] [--only WORD,...] [--rate 40] [--seed 1]
                                 [--json FILE] [--markdown FILE] [--log FILE] [--without-disk] [--list]

Starts two replicas of every app under steady load and injects each fault RUNS times. After each run, checks that every
acknowledged write exists and every event was delivered. Exits with 1 when data was lost, duplicated or wrong, when a log
contains a secret, or when a fault was skipped.

--only WORD,...  faults whose name contains one of the words
--rate N         requests a second
--json FILE      appends each run as a line; earlier lines of the file are part of the table
--markdown FILE  writes the tables between the markers of the file
--log FILE       writes the log lines of all processes
--without-disk   skips the full blob store, which needs a file system that root can mount
--list           prints the names of the faults`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

function parseWholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`--${name} needs a number from 1, not "${text}".`);
  return Number(text);
}

function readFlags() {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10' },
      only: { type: 'string', default: '' },
      rate: { type: 'string', default: '40' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      log: { type: 'string' },
      'without-disk': { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { runs, rate, seed, only, ...rest } = values;
  const words = only.split(',').filter((word) => word !== '');
  return {
    ...rest,
    runs: parseWholeNumber('runs', runs),
    rate: parseWholeNumber('rate', rate),
    seed: parseWholeNumber('seed', seed),
    isWanted: (fault: Fault) =>
      (words.length === 0 || words.some((word) => fault.name.includes(word))) &&
      !(rest['without-disk'] && diskFaults.includes(fault)),
  };
}
type Flags = ReturnType<typeof readFlags>;

/**
 * Mounts a small store if it is wanted. Returns undefined if it is not, or if mounting fails; then
 * its faults are skipped and the exit code is 1.
 */
async function mountIfWanted(wanted: boolean): Promise<SmallStore | undefined> {
  if (!wanted) return undefined;
  return mountSmallStore().catch((error: unknown) => {
    print(`SKIPPED: ${diskFaults.map(({ name }) => name).join(', ')}. ${String(error)}`);
    process.exitCode = 1;
    return undefined;
  });
}

/** Runs each fault several times in a row. Starts a new fleet after a run with findings. */
async function runAll(faults: readonly Fault[], flags: Flags, options: FaultContextOptions): Promise<FaultRun[]> {
  const done: FaultRun[] = [];
  let context: FaultContext | undefined;
  try {
    for (const fault of faults) {
      for (let number = 1; number <= flags.runs; number++) {
        context ??= await startFaultContext({ ...options, seed: options.seed + done.length });
        const run = await runFault(context, fault);
        print(runLine(run, number, flags.runs));
        done.push(run);
        if (flags.json) await appendFile(flags.json, `${JSON.stringify(run)}\n`);
        if (isClean(run)) continue;
        await stopContext(context);
        context = undefined;
      }
    }
  } finally {
    if (context) await stopContext(context);
  }
  return done;
}

/** Stops load and fleet. An error of the shutdown is printed, and the exit code is 1. */
async function stopContext(context: FaultContext): Promise<void> {
  try {
    await context.stop();
  } catch (error) {
    print(String(error));
    process.exitCode = 1;
  }
}

async function readEarlierRuns(file: string | undefined): Promise<FaultRun[]> {
  const text = file === undefined ? '' : await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as FaultRun);
}

async function main(): Promise<void> {
  const flags = readFlags();
  if (flags.help) return void print(help);
  if (flags.list) return void print(allFaults.map(({ name }) => name).join('\n'));
  const wanted = allFaults.filter(flags.isWanted);
  const earlier = await readEarlierRuns(flags.json);
  const store = await mountIfWanted(wanted.some((fault) => diskFaults.includes(fault)));
  try {
    const faults = wanted.filter((fault) => store !== undefined || !diskFaults.includes(fault));
    const blobs = store && { blobFolder: store.folder };
    const log = flags.log !== undefined && { logFile: flags.log };
    const done = await runAll(faults, flags, { rate: flags.rate, seed: flags.seed, ...blobs, ...log });
    const all = [...earlier, ...done];
    const [table, ofEvents] = [faultTable(all), eventTable(all)];
    print(`\n${table}\n\n${ofEvents}`);
    if (flags.markdown !== undefined) {
      const text = await readFile(flags.markdown, 'utf8');
      const withTable = text.replace(tablePattern, () => `\n${table}\n\n`);
      await writeFile(
        flags.markdown,
        withTable.replace(eventTablePattern, () => `\n${ofEvents}\n\n`),
      );
    }
    if (!done.every(isClean)) process.exitCode = 1;
  } finally {
    await store?.remove();
  }
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
