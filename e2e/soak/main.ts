import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectPath } from '#config';
import { replicasOfEach, startFleet } from '../fleet/start-fleet.js';
import { createUsers } from '../fleet/users.js';
import { check } from '../load/check.js';
import { startLoad } from '../load/start-load.js';
import { help, readArguments, type SoakArguments } from './arguments.js';
import { findingsFor, compareProcesses, type SoakResult } from './growth.js';
import { plotsOf } from './plots.js';
import { processTable, serverTable } from './report.js';
import { SoakWatch } from './watch.js';

const userCount = 6;
const collector = pathToFileURL(projectPath('dist/e2e/soak/collect-on-signal.js')).href;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

async function saveResult(soaked: SoakResult, out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'figures.json'), JSON.stringify(soaked));
  const plots = Object.entries(plotsOf(soaked.samples));
  for (const [name, svg] of plots) await writeFile(join(out, name), svg);
  print(`The plots are in ${out}: ${plots.map(([name]) => name).join(', ')}.`);
}

/** Runs the soak test, prints and saves its results. Returns its findings as sentences. */
async function soak({ minutes, rate, out }: SoakArguments): Promise<string[]> {
  const environment = { NODE_OPTIONS: `--import=${collector}` };
  const fleet = await startFleet({ replicas: replicasOfEach(2), environment });
  try {
    const users = await createUsers(fleet, userCount);
    const load = await startLoad({ baseUrls: fleet.baseUrls, users, rate, seed: 1 });
    print(`${fleet.processes.length} processes, ${rate} requests/s for ${minutes} minutes`);
    const watch = await SoakWatch.of(fleet, load);
    const soaked = await watch.run(minutes, print);
    const { lost, duplicated, wrong } = await check(fleet, load.ledger);
    await load.stop();
    const comparisons = compareProcesses(soaked);
    print(`\n${processTable(comparisons)}\n\n${serverTable(soaked)}\n`);
    const outcomes = [...watch.outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', ');
    print(`${load.ledger.acknowledgedWrites} writes were acknowledged. Requests ended with ${outcomes}.`);
    await saveResult(soaked, out);
    return [...comparisons.flatMap(findingsFor), ...lost, ...duplicated, ...wrong];
  } finally {
    await fleet.stop();
  }
}

const soakArguments = readArguments(process.argv.slice(2));
if (!soakArguments) print(help);
else {
  const findings = await soak(soakArguments);
  for (const finding of findings) print(finding);
  if (findings.length > 0) process.exitCode = 1;
  else print('No growth, no losses.');
}
