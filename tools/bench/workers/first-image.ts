import { setTimeout as sleep } from 'node:timers/promises';
import { toLocalUrl } from '#config';
import { download, type Storefront } from '#demo-shop';
import { type BenchStack, countUnfinishedJobs } from '../bench-stack.js';
import { percentile } from '../overload/figures.js';
import type { MaterialCreator } from './material-creator.js';

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Milliseconds from the request until the response, and until the first image is downloaded. */
interface Times {
  readonly responded: number;
  readonly served: number;
}

/** Creates a material and downloads its first image. */
async function measureOnce(stack: BenchStack, shop: Storefront, creator: MaterialCreator): Promise<Times> {
  const body = await creator.next();
  const since = performance.now();
  const { products } = await shop.createMaterial(body);
  const responded = performance.now() - since;
  await download(toLocalUrl(products[0]!.sampleImageUrl, stack));
  return { responded, served: performance.now() - since };
}

function report(title: string, times: readonly Times[]): void {
  print(`${title}, ${times.length} times:`);
  for (const what of ['responded', 'served'] as const) {
    const [median, p95] = [0.5, 0.95].map((share) =>
      Math.round(
        percentile(
          times.map((each) => each[what]),
          share,
        ),
      ),
    );
    print(`  ${what.padEnd(9)} median ${median} ms, p95 ${p95} ms`);
  }
}

/**
 * Measures the time to the first image of a new material `times` times: idle, and with five times
 * as many materials queued.
 */
export async function measureFirstImage(times: number, stack: BenchStack, shop: Storefront, creator: MaterialCreator) {
  // Warm-up
  await measureOnce(stack, shop, creator);
  const idle: Times[] = [];
  while (idle.length < times) {
    idle.push(await measureOnce(stack, shop, creator));
    // Waits for the remaining images of the material, which would delay the next material
    while ((await countUnfinishedJobs(stack.jobs)) > 0) await sleep(50);
  }
  report('Idle', idle);
  const waiting = 5 * times;
  await stack.jobs.pause();
  for (let made = 0; made < waiting; made += 1) await creator.create();
  while ((await countUnfinishedJobs(stack.jobs)) < waiting) await sleep(50);
  await stack.jobs.resume();
  const loaded: Times[] = [];
  while (loaded.length < times) loaded.push(await measureOnce(stack, shop, creator));
  report(
    `With ${waiting} materials waiting at the beginning and ${await countUnfinishedJobs(stack.jobs)} at the end`,
    loaded,
  );
}
