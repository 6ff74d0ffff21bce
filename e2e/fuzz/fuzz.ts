import fc from 'fast-check';
import { apiRequests } from './api-requests.js';
import { type Fuzzed, writtenOut } from './asked.js';
import { oddlyFramed } from './odd-framing.js';
import { oauthRequests, imageRequests } from './other-requests.js';
import { pageRequests } from './page-requests.js';
import { Tally } from './tally.js';
import { defectOf } from './verdict.js';
import { Wire } from './wire.js';
import type { World } from './world.js';

interface FuzzOptions {
  readonly requests: number;
  /** Makes two runs send the same requests to the same world. */
  readonly seed: number;
  /** Requests at once: few enough that nothing is refused because it is too much. */
  readonly atOnce: number;
  /** How long an answer may take, in milliseconds. */
  readonly patienceMs: number;
  /** Told now and then how many requests were answered. */
  readonly onProgress?: (tally: Tally) => void;
}

/** A request that was not answered as it should be, made as small as it gets. */
export interface Found {
  readonly defect: string;
  readonly route: string;
  /** With these the same run sends the same request. */
  readonly seed: number;
  readonly path: string | null;
  readonly bytes: Buffer;
}

export interface Fuzzing {
  readonly tally: Tally;
  readonly found: readonly Found[];
}

/** Requests that begin with the same seed. Another part of the run, another seed: they go on beside each other. */
const batchSize = 250;
/** A defect everywhere is told a few times. */
const mostFound = 20;
/** Making a request smaller may take as long as a server that does not answer. */
const batchWithinMs = 120_000;

/** All that is sent, in the shares that are worth it. */
const requestsOf = (world: World): fc.Arbitrary<Fuzzed> =>
  fc.oneof(
    { arbitrary: writtenOut(apiRequests(world)), weight: 62 },
    { arbitrary: writtenOut(pageRequests(world)), weight: 22 },
    { arbitrary: writtenOut(oauthRequests(world)), weight: 7 },
    { arbitrary: writtenOut(imageRequests(world)), weight: 6 },
    { arbitrary: oddlyFramed(world), weight: 3 },
  );

/** Sends generated requests to a stack and looks at every answer. */
export async function fuzz(world: World, options: FuzzOptions): Promise<Fuzzing> {
  const { requests, seed, atOnce, patienceMs } = options;
  const { hostname, port } = new URL(world.origin);
  const wire = new Wire({ host: hostname, port: Number(port) }, patienceMs);
  const arbitrary = requestsOf(world);
  const tally = new Tally();
  const found: Found[] = [];

  const property = fc.asyncProperty(arbitrary, async (request) => {
    const ending = await wire.send(request);
    const defect = defectOf(ending, request, world.baseUrl);
    tally.add(request, ending, defect !== undefined);
    options.onProgress?.(tally);
    if (defect !== undefined) throw new Error(defect);
  });

  async function batch(number: number): Promise<void> {
    const numRuns = Math.min(batchSize, requests - number * batchSize);
    const settings = { seed: seed + number, numRuns, interruptAfterTimeLimit: batchWithinMs };
    const result = await fc.check(property, settings);
    if (!result.failed || !result.counterexample) return;
    const [request] = result.counterexample;
    const defect = result.errorInstance instanceof Error ? result.errorInstance.message : 'a request failed';
    const bytes = Buffer.concat(request.pieces);
    found.push({ defect, route: request.route, seed: seed + number, path: result.counterexamplePath, bytes });
  }

  const batches = Array.from({ length: Math.ceil(requests / batchSize) }, (_, number) => number).values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const number of batches) {
        if (found.length >= mostFound) return;
        await batch(number);
      }
    }),
  );
  wire.close();
  return { tally, found };
}
