import fc from 'fast-check';
import { apiRequests } from './api-requests.js';
import { type SerializedRequest, serialized } from './fuzz-request.js';
import { ambiguousRequests } from './odd-framing.js';
import { oauthRequests, imageRequests } from './other-requests.js';
import { pageRequests } from './page-requests.js';
import { Tally } from './tally.js';
import { defectOf } from './verdict.js';
import { Wire } from './wire.js';
import type { FuzzFixture } from './fuzz-fixture.js';

interface FuzzOptions {
  readonly requests: number;
  /** Runs with the same seed send the same requests, except for the ids and keys of the fixture. */
  readonly seed: number;
  /** Concurrent requests, few enough to stay below concurrency limits. */
  readonly atOnce: number;
  /** Response timeout in milliseconds. */
  readonly timeoutMs: number;
  /** Called after each request with the counts so far. */
  readonly onProgress?: (tally: Tally) => void;
}

/** A request with a defective response, shrunk to a minimum. */
export interface DefectiveRequest {
  readonly defect: string;
  readonly route: string;
  /**
   * Seed and path of fast-check, which reproduce the request; the path leads to its shrunk form.
   */
  readonly seed: number;
  readonly path: string | null;
  readonly bytes: Buffer;
}

export interface FuzzResult {
  readonly tally: Tally;
  readonly found: readonly DefectiveRequest[];
}

/** Requests of a batch. Batches have consecutive seeds and run concurrently. */
const batchSize = 250;
/** Number of defects from which no further batch starts. */
const maxFound = 20;
/** Time limit of a batch. Shrinking a request without a response takes a timeout per attempt. */
const batchTimeoutMs = 120_000;

/** All kinds of requests with their weights. */
const requestsOf = (fixture: FuzzFixture): fc.Arbitrary<SerializedRequest> =>
  fc.oneof(
    { arbitrary: serialized(apiRequests(fixture)), weight: 62 },
    { arbitrary: serialized(pageRequests(fixture)), weight: 22 },
    { arbitrary: serialized(oauthRequests(fixture)), weight: 7 },
    { arbitrary: serialized(imageRequests(fixture)), weight: 6 },
    { arbitrary: ambiguousRequests(fixture), weight: 3 },
  );

/** Sends generated requests to a stack and checks every response. */
export async function fuzz(fixture: FuzzFixture, options: FuzzOptions): Promise<FuzzResult> {
  const { requests, seed, atOnce, timeoutMs } = options;
  const { hostname, port } = new URL(fixture.origin);
  const wire = new Wire({ host: hostname, port: Number(port) }, timeoutMs);
  const arbitrary = requestsOf(fixture);
  const tally = new Tally();
  const found: DefectiveRequest[] = [];

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
