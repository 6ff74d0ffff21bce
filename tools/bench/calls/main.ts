import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { barChart } from '../plot/bar-chart.js';
import { numberOf } from '../number-of.js';
import { type Generator, startGenerator } from '../overload/generator.js';
import type { Call } from './calls.js';
import { startChanges } from './changes.js';
import { measure, type Measurement, mediansOf } from './measure.js';
import { comparisonOf, type Report, type Result, tableOf, cachingText } from './report.js';
import { compareResponses } from './compare-responses.js';
import { withBenchShop } from './shop.js';
import { memoryOf, type Side, startFloor } from './sides.js';

const help = `Usage: npm run bench -- [--products 10000] [--rounds 3] [--seconds 2] [--callers 1,16,64] [--only list,one]
                      [--cold | --changes 100] [--out FILE] [--against FILE.json]

Starts a stack (one process of each app, without rendering workers and rate limits), fills it with products, and measures
API calls against a floor: plain node:http and pg with the same data and the same responses, which are compared once. Rounds
of both alternate. Reports the processor time per request over all processes, and its ratio.

--products  number of products; a million takes some minutes to fill
--callers   numbers of concurrent callers
--only      calls whose name contains one of the words
--cold      disables the response caches of all processes: the cost right after a change
--changes   changes per second of a product that is on no page
--out       writes FILE.md, FILE.json and FILE.svg
--against   compares with the JSON of an earlier run, of another commit or another number of products`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const cachedWarmUpSeconds = 0.5;
/**
 * Warm-up time if responses are not cached. PostgreSQL plans a statement five times per connection
 * before it caches a plan, which takes 3,000 requests for 50 pages.
 */
const warmUpSeconds = 8;
/** Number of callers in the chart. */
const chartCallers = 16;

interface Options {
  readonly products: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly callers: readonly number[];
  readonly only: readonly string[];
  readonly isCold: boolean;
  readonly changes: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      products: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      callers: { type: 'string', default: '1,16,64' },
      only: { type: 'string', default: '' },
      cold: { type: 'boolean', default: false },
      changes: { type: 'string' },
      out: { type: 'string' },
      against: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(help);
    return;
  }
  const report = await run({
    products: numberOf('products', values.products),
    rounds: numberOf('rounds', values.rounds),
    seconds: numberOf('seconds', values.seconds),
    callers: values.callers.split(',').map((callers) => numberOf('callers', callers)),
    only: values.only.split(','),
    isCold: values.cold,
    changes: values.changes === undefined ? 0 : numberOf('changes', values.changes),
  });
  print(tableOf(report));
  if (values.against) print(comparisonOf(report, JSON.parse(await readFile(values.against, 'utf8')) as Report));
  if (values.out) await write(values.out, report);
}

const run = (options: Options): Promise<Report> =>
  withBenchShop(options, async (shop) => {
    const { products, rounds, seconds, isCold, changes } = options;
    const { stack, ours, caller, idle, readyMs } = shop;
    const floor = await startFloor(stack, caller.id);
    const changing = changes > 0 ? await startChanges(stack.databaseUrl, changes) : undefined;
    const generators = { ours: startGenerator(ours.origin), floor: startGenerator(floor.origin) };
    try {
      const calls = shop.calls.filter(({ name }) => options.only.some((word) => name.includes(word)));
      const context = { generators, token: caller.token, excludedPid: changing?.pid };
      const results: Result[] = [];
      for (const call of calls) results.push(...(await measureCall(call, { ours, floor }, { ...context, ...options })));
      return {
        products,
        rounds,
        seconds,
        isCold,
        changes,
        results,
        memory: { idle, afterwards: await memoryOf(ours) },
        readyMs,
      };
    } finally {
      for (const it of [floor, generators.ours, generators.floor]) it.end();
      await changing?.end();
    }
  });

interface Sides {
  readonly ours: Side;
  readonly floor: Side;
}

interface MeasurementContext extends Options {
  /** Load generators by side, each for one origin. */
  readonly generators: Readonly<Record<Side['name'], Generator>>;
  readonly token: string;
  /** Process id whose CPU time is not counted. */
  readonly excludedPid: number | undefined;
}

async function measureCall(call: Call, { ours, floor }: Sides, context: MeasurementContext): Promise<Result[]> {
  const { generators, token, excludedPid, rounds, seconds } = context;
  const { bytes } = await compareResponses(call, ours, floor, token);
  const warmSeconds = context.isCold || context.changes > 0 ? warmUpSeconds : cachedWarmUpSeconds;
  const results: Result[] = [];
  for (const concurrency of context.callers) {
    const round = { call, concurrency, seconds, token, excludedPid };
    const taken: Record<Side['name'], Measurement[]> = { ours: [], floor: [] };
    for (const side of [ours, floor]) await measure(side, generators[side.name], { ...round, seconds: warmSeconds });
    for (let at = 0; at < rounds; at++)
      for (const side of at % 2 === 0 ? [ours, floor] : [floor, ours])
        taken[side.name].push(await measure(side, generators[side.name], round));
    const result = { call: call.name, concurrency, bytes, ours: mediansOf(taken.ours), floor: mediansOf(taken.floor) };
    print(lineOf(result));
    results.push(result);
  }
  return results;
}

const lineOf = ({ call, concurrency, ours, floor }: Result): string =>
  `${call} x ${concurrency}: ${Math.round(ours.totalCpu)} us, floor ${Math.round(floor.totalCpu)} us, ` +
  `${(ours.totalCpu / floor.totalCpu).toFixed(2)} x; ${Math.round(ours.requestsPerSecond)} of ${Math.round(floor.requestsPerSecond)} requests/s`;

async function write(path: string, report: Report): Promise<void> {
  const shown = report.results.filter(({ concurrency }) => concurrency === chartCallers);
  await writeFile(`${path}.json`, `${JSON.stringify(report, null, 1)}\n`);
  await writeFile(`${path}.md`, tableOf(report));
  const bars = shown.map(({ call, ours, floor }) => ({ name: call, values: [floor.totalCpu, ours.totalCpu] }));
  const products = report.products.toLocaleString('en');
  const title = `Processor time per request, ${products} products, ${chartCallers} callers, ${cachingText(report)}`;
  await writeFile(
    `${path}.svg`,
    barChart({ title, y: 'microseconds (logarithmic)', series: ['floor', 'service'], bars }),
  );
}

await main();
