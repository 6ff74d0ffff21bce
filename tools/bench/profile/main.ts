import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { projectPath } from '#config';
import { serializeRequest } from '../calls/calls.js';
import { withBenchShop } from '../calls/shop.js';
import { numberOf } from '../number-of.js';
import { startGenerator } from '../overload/generator.js';
import { type TimeEntry, summaryOf } from './summary.js';

const help = `Usage: npm run profile -- CALL [--products 10000] [--callers 16] [--seconds 5] [--cold]
                        [--out profiles]

Starts a stack, repeats one of the calls of \`npm run bench\` (list, pages, one, search-2, favorite, ...), and writes a CPU
profile of every app: profiles/CALL/{app}.{pid}.cpuprofile. Prints the functions with the most time for each app.

Interpretation: docs/measurements/performance.md. The files open in Chrome (DevTools, Performance, Load profile) and in speedscope.`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const warmSeconds = 3;
/** Time in which all apps write their profiles. */
const writingMs = 2_000;
const shownFunctions = 25;
const shownPackages = 12;
/** Profiles with less busy time are not shown. */
const minBusyMs = 50;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      products: { type: 'string', default: '10000' },
      callers: { type: 'string', default: '16' },
      seconds: { type: 'string', default: '5' },
      cold: { type: 'boolean', default: false },
      out: { type: 'string', default: 'profiles' },
      help: { type: 'boolean', default: false },
    },
  });
  const [name] = positionals;
  if (values.help || name === undefined) {
    print(help);
    return;
  }
  const folder = resolve(values.out, name);
  // Removes profiles of earlier runs
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const served = await record(name, {
    products: numberOf('products', values.products),
    callers: numberOf('callers', values.callers),
    seconds: numberOf('seconds', values.seconds),
    isCold: values.cold,
    folder,
  });
  await report(folder, served);
}

interface Options {
  readonly products: number;
  readonly callers: number;
  readonly seconds: number;
  readonly isCold: boolean;
  /** Folder of the profiles. */
  readonly folder: string;
}

/** Records profiles under load. Returns the number of served requests. */
function record(name: string, { products, callers, seconds, isCold, folder }: Options): Promise<number> {
  const recorder = pathToFileURL(projectPath('dist/tools/bench/profile/recorder.js')).href;
  const environment = { PROGRAMS: 'files', NODE_OPTIONS: `--import ${recorder}`, PROFILE_DIR: folder };
  return withBenchShop({ products, isCold, environment }, async ({ ours, calls, caller }) => {
    const call = calls.find((it) => it.name === name);
    if (!call) throw new Error(`Unknown call ${name}, use one of ${calls.map((it) => it.name).join(', ')}`);
    const generator = startGenerator(ours.origin);
    try {
      const runLoad = async (forSeconds: number): Promise<number> => {
        const requests = ((await call.fresh?.()) ?? call.requests).map((it) => serializeRequest(it, caller.token));
        const { outcomes } = await generator.run(requests, [{ seconds: forSeconds, pace: { callers } }]);
        return outcomes.filter((outcome) => outcome >= 200 && outcome < 300).length;
      };
      await runLoad(warmSeconds);
      const apps = [...(await ours.parts())].filter(([part]) => !['children', 'redis', 'postgres'].includes(part));
      const signal = (): void => apps.flatMap(([, pids]) => pids).forEach((pid) => process.kill(pid, 'SIGUSR2'));
      signal();
      const served = await runLoad(seconds);
      signal();
      await sleep(writingMs);
      return served;
    } finally {
      generator.end();
    }
  });
}

async function report(folder: string, served: number): Promise<void> {
  print(`${served} requests served; microseconds per request:`);
  for (const file of (await readdir(folder)).sort()) {
    const summary = summaryOf(JSON.parse(await readFile(join(folder, file), 'utf8')) as Profiler.Profile);
    if (summary.busyMs < minBusyMs) continue;
    const micros = (ms: number): string => ((ms * 1_000) / served).toFixed(1).padStart(8);
    const lines = (hot: readonly TimeEntry[], count: number): string[] =>
      hot.slice(0, count).map(({ where, selfMs, totalMs }) => `${micros(selfMs)} ${micros(totalMs)}  ${where}`);
    print(`\n== ${file}: ${micros(summary.busyMs).trim()} us\n    self    total`);
    print([...lines(summary.packages, shownPackages), '', ...lines(summary.functions, shownFunctions)].join('\n'));
  }
}

await main();
