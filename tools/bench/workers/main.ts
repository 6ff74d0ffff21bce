import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openBlobStore } from '#storage';
import { Storefront } from '#demo-shop';
import { programFile } from '../../dev-stack/apps/apps.js';
import { type BenchStack, startBenchStack, countUnfinishedJobs } from '../bench-stack.js';
import { numberOf } from '../number-of.js';
import { processTreeOf, type ProcessUsage, usageOf } from '../process-usage.js';
import { BlobWrites } from './blob-writes.js';
import { measureFirstImage } from './first-image.js';
import { measurePreviews } from './previews.js';
import { MaterialCreator } from './material-creator.js';

const help = `Usage: npm run bench:workers -- [--materials 40] [--workers 1,2] | [--materials 40] --first-image | [--materials 40] --previews

Creates materials with five products each and measures for each number of worker processes the time and cost of rendering
all images, and whether each image was rendered once.

--first-image measures the time from POST /materials, with a PNG of 2000 x 2000 as data URI and five products, to the first
image of its first product instead: idle, and while five times as many materials wait in the queue.

--previews measures the time from POST /previews, with such a PNG, to the first and to the last of the images of all items at
500 pixels, which six connections download.`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`;

interface Workers {
  readonly processes: readonly ChildProcess[];
  /** Peak memory of each worker and of its largest decoder. */
  readonly peaks: { own: number; decoder: number }[];
}

/**
 * Returns the CPU time of all workers and their decoders in milliseconds. Updates the peaks,
 * because the memory of a decoder cannot be read after its exit.
 */
async function sampleUsage({ processes, peaks }: Workers): Promise<number> {
  let cpuMs = 0;
  for (const [n, { pid }] of processes.entries()) {
    const [own, ...decoders] = await Promise.all(
      (await processTreeOf(pid!)).map((member) => usageOf(member).catch(() => exited)),
    );
    cpuMs += [own!, ...decoders].reduce((sum, usage) => sum + usage.cpuMs, 0);
    const decoder = Math.max(peaks[n]!.decoder, ...decoders.map(({ peakRss }) => peakRss));
    peaks[n] = { own: own!.peakRss, decoder };
  }
  return cpuMs;
}

const exited: ProcessUsage = { cpuMs: 0, rss: 0, peakRss: 0 };

function startWorkers(count: number, stack: BenchStack): Workers {
  const processes = Array.from({ length: count }, () =>
    fork(programFile('material-rendering'), {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...stack.renderingEnvironment, RENDERING_ROLES: 'workers' },
    }),
  );
  return { processes, peaks: processes.map(() => ({ own: 0, decoder: 0 })) };
}

async function stopWorkers({ processes }: Workers): Promise<void> {
  await Promise.all(
    processes.map(async (worker) => {
      const ended = once(worker, 'exit');
      worker.kill();
      await ended;
    }),
  );
}

async function imagesOf(materials: readonly number[], { blobStoreUrl }: BenchStack): Promise<number> {
  let images = 0;
  for (const id of materials) {
    const keys = openBlobStore(blobStoreUrl).list(`images/${id}`);
    while (!(await keys.next()).done) images += 1;
  }
  return images;
}

/** Runs the measurement. Returns the number of redundant writes and failed jobs. */
async function measure(workerCount: number, materialCount: number, stack: BenchStack, creator: MaterialCreator) {
  const materials: number[] = [];
  while (materials.length < materialCount) materials.push((await creator.create()).material.id);
  while ((await countUnfinishedJobs(stack.jobs)) < materialCount) await sleep(50);
  const writes = await BlobWrites.in(stack.blobStoreUrl);
  const workers = startWorkers(workerCount, stack);
  // Startup of workers is not measured
  while (writes.count === 0) await sleep(5);
  const before = await sampleUsage(workers);
  while ((await countUnfinishedJobs(stack.jobs)) > 0) {
    await sleep(100);
    await sampleUsage(workers);
  }
  const cpuMs = (await sampleUsage(workers)) - before;
  await stopWorkers(workers);
  writes.stop();
  const failed = await stack.jobs.getFailedCount();
  const images = await imagesOf(materials, stack);
  // RenderSourceStore writes one further blob per material
  const redundant = writes.count - images - materialCount;
  report();
  return redundant + failed;

  function report(): void {
    const rate = (images / writes.seconds).toFixed(1);
    const peaks = workers.peaks
      .map(({ own, decoder }) => `${megabytes(own)} + ${megabytes(decoder)} for its decoder`)
      .join(', ');
    print(`${workerCount} worker(s): ${images} images of ${materialCount} materials in ${writes.seconds.toFixed(1)} s`);
    print(`  ${rate} images/s, ${(cpuMs / images).toFixed(1)} ms of CPU time each; peaks ${peaks}`);
    print(`  written twice: ${redundant}; events that failed: ${failed}; left in the queue: 0`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      materials: { type: 'string', default: '40' },
      workers: { type: 'string', default: '1,2' },
      'first-image': { type: 'boolean', default: false },
      previews: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void print(help);
  const materials = numberOf('materials', values.materials);
  const isFirst = values['first-image'];
  const hasWorkers = isFirst || values.previews;
  const stack = await startBenchStack(hasWorkers ? {} : { RENDERING_ROLES: 'requests' });
  try {
    const shop = new Storefront(stack.localUrl, stack.apiKey);
    const creator = await MaterialCreator.of(shop);
    if (isFirst) await measureFirstImage(materials, stack, shop, creator);
    else if (values.previews) await measurePreviews(materials, stack, creator);
    else
      for (const count of values.workers.split(','))
        if ((await measure(numberOf('workers', count), materials, stack, creator)) > 0) process.exitCode = 1;
  } finally {
    await stack.stop();
  }
}

await main();
