import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { download, Storefront } from '#demo-shop';
import { asReachedHere } from '#config';
import { type BenchStack, startBenchStack, unfinished } from '../bench-stack.js';
import { MaterialMaker } from '../materials.js';

const help = `Usage: npm run bench:first-picture -- [--times 30] [--waiting 200]

Measures the time from POST /materials, with a PNG of 2000 x 2000 as data URI and five products, to the first picture of
its first product: idle, and while so many materials wait in the queue.`;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Milliseconds until the material was answered, and until the picture was there. */
interface Times {
  readonly answered: number;
  readonly served: number;
}

async function once(stack: BenchStack, shop: Storefront, maker: MaterialMaker): Promise<Times> {
  const body = maker.next();
  const since = performance.now();
  const { products } = await shop.createMaterial(body);
  const answered = performance.now() - since;
  await download(asReachedHere(products[0]!.sampleImageUrl, stack));
  return { answered, served: performance.now() - since };
}

/** The smallest value that so many of the others do not exceed. */
function percentile(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${Math.round(sorted[Math.ceil(part * sorted.length) - 1]!)} ms`;
}

function report(title: string, times: readonly Times[]): void {
  say(`${title}, ${times.length} times:`);
  for (const what of ['answered', 'served'] as const) {
    const values = times.map((each) => each[what]);
    say(`  ${what.padEnd(9)} median ${percentile(values, 0.5)}, p95 ${percentile(values, 0.95)}`);
  }
}

async function idle(times: number, stack: BenchStack, shop: Storefront, maker: MaterialMaker): Promise<void> {
  const all: Times[] = [];
  while (all.length < times) {
    all.push(await once(stack, shop, maker));
    // The other pictures of the material are background work for the next one
    while ((await unfinished(stack.jobs)) > 0) await sleep(50);
  }
  report('Idle', all);
}

interface Load {
  readonly times: number;
  readonly waiting: number;
}

async function loaded({ times, waiting }: Load, stack: BenchStack, shop: Storefront, maker: MaterialMaker) {
  await stack.jobs.pause();
  for (let made = 0; made < waiting; made += 1) await maker.create();
  while ((await unfinished(stack.jobs)) < waiting) await sleep(50);
  await stack.jobs.resume();
  const all: Times[] = [];
  while (all.length < times) all.push(await once(stack, shop, maker));
  report(`With ${waiting} materials waiting at the beginning and ${await unfinished(stack.jobs)} at the end`, all);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '30' },
      waiting: { type: 'string', default: '200' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void say(help);
  const [times, waiting] = [Number(values.times), Number(values.waiting)];
  const stack = await startBenchStack();
  try {
    const shop = new Storefront(stack.localUrl, stack.apiKey);
    const maker = await MaterialMaker.of(shop);
    // What every process does at its first picture is not of interest
    await once(stack, shop, maker);
    await idle(times, stack, shop, maker);
    await loaded({ times, waiting }, stack, shop, maker);
  } finally {
    await stack.stop();
  }
}

await main();
