import fc from 'fast-check';
import { apiRequests } from './api-requests.js';
import { type Fuzzed, writtenOut } from './fuzz-request.js';
import { ambiguousRequests } from './odd-framing.js';
import { oauthRequests, imageRequests } from './other-requests.js';
import { pageRequests } from './page-requests.js';
import { Tally } from './tally.js';
import { defectOf } from './verdict.js';
import { Wire } from './wire.js';
import type { FuzzFixture } from './fuzz-fixture.js';

interface FuzzOptions {
  readonly requests: number;
  /** Seed; runs with the same seed send the same requests. */
  readonly seed: number;
  /** Concurrent requests, few enough to stay below concurrency limits. */
  readonly atOnce: number;
  /** Response timeout in milliseconds. */
  readonly timeoutMs: number;
  /** Called periodically with the number of responses. */
  readonly onProgress?: (tally: Tally) => void;
}

/** A request with a defective response, shrunk to a minimum. */
export interface Found {
  readonly defect: string;
  readonly route: string;
  /**
   * Options of fast-check that reproduce the request; `path` leads to the shrunk counterexample.
   */
  readonly seed: number;
  readonly path: string | null;
  readonly bytes: Buffer;
}

export interface Fuzzing {
  readonly tally: Tally;
  readonly found: readonly Found[];
}

/** Requests per seed. Batches with different seeds run concurrently. */
const batchSize = 250;
/** Largest number of reported defects. */
const maxFound = 20;
/** Timeout of a batch including shrinking, which repeats timeouts. */
const batchTimeoutMs = 120_000;

/** All kinds of requests with their weights. */
const requestsOf = (fixture: FuzzFixture): fc.Arbitrary<Fuzzed> =>
  fc.oneof(
    { arbitrary: writtenOut(apiRequests(fixture)), weight: 62 },
    { arbitrary: writtenOut(pageRequests(fixture)), weight: 22 },
    { arbitrary: writtenOut(oauthRequests(fixture)), weight: 7 },
    { arbitrary: writtenOut(imageRequests(fixture)), weight: 6 },
    { arbitrary: ambiguousRequests(fixture), weight: 3 },
  );

/** Sends generated requests to a stack and checks every response. */
export async function fuzz(fixture: FuzzFixture, options: FuzzOptions): Promise<Fuzzing> {
  const { requests, seed, atOnce, timeoutMs } = options;
  const { hostname, port } = new URL(fixture.origin);
  const wire = new Wire({ host: hostname, port: Number(port) }, timeoutMs);
  const arbitrary = requestsOf(fixture);
  const tally = new Tally();
  const found: Found[] = [];

  const property = fc.asyncProperty(arbitrary, async (request) => {
    const ending = await wire.send(request);
    const defect = defectOf(ending, request, fixture.baseUrl);
    tally.add(request, ending, defect !== undefined);
    options.onProgress?.(tally);
    if (defect !== undefined) throw new Error(defect);
  });

  async function batch(number: number): Promise<void> {
    const numRuns = Math.min(batchSize, requests - number * batchSize);
    const settings = { seed: seed + number, numRuns, interruptAfterTimeLimit: batchTimeoutMs };
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
        if (found.length >= maxFound) return;
        await batch(number);
      }
    }),
  );
  wire.close();
  return { tally, found };
}
