import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { operations } from '#contracts';
import { startBenchStack } from '../../tools/bench/bench-stack.js';
import { fuzz } from './fuzz.js';
import { readLog } from './log-findings.js';
import { reportOf } from './report.js';
import { createFuzzFixture, type Target } from './fuzz-fixture.js';

const help = `Usage: npm run fuzz -- [--requests 100000] [--seed N] [--at-once 16]
                    [--base-url http://localhost:3000 --api-key KEY]

Sends generated requests to a new stack, or to the one at --base-url, which must be disposable, and
checks every response: no failure, no hanging connection, a problem document with every rejection, nothing in a
header, a page, a redirect or the log that a client has injected, and no internal details.
Exits with 1 if there are findings; each is printed with its seed and its bytes, shrunk to a minimum.`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Setting RATE_LIMITS, so high that no request gets 429 instead of another response. */
const raisedRateLimits = Object.entries(operations)
  .flatMap(([name, operation]) => ('rateLimit' in operation ? [`${name}=1000000000/900`] : []))
  .join();

interface Options {
  readonly requests: number;
  readonly seed: number;
  readonly atOnce: number;
}

/** Runs the fuzzer and prints its report. Returns true if there are no findings. */
async function run(target: Target, options: Options, logFile?: string): Promise<boolean> {
  const fixture = await createFuzzFixture(target);
  const logBegin = logFile === undefined ? 0 : statSync(logFile).size;
  const since = performance.now();
  let reportedAt = since;
  const result = await fuzz(fixture, {
    ...options,
    timeoutMs: 20_000,
    onProgress: ({ requests, defects }) => {
      if (performance.now() - reportedAt < 10_000) return;
      reportedAt = performance.now();
      print(
        `${requests} requests after ${Math.round((reportedAt - since) / 1000)} s, ${defects} of them with a defect`,
      );
    },
  });
  const seconds = (performance.now() - since) / 1000;
  const log = logFile === undefined ? undefined : await readLog(logFile, logBegin);
  print(reportOf({ ...result, seconds, seed: options.seed, log }));
  const logged = log ? [...log.crashes, ...log.planted, ...log.errors] : [];
  return result.found.length === 0 && logged.length === 0;
}

async function onOwnStack(options: Options): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-fuzz-'));
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'a');
  // Sign-in attempts are limited per client address. The fuzzer sends another address with each
  // page request, in X-Forwarded-For, so the gateway must trust it as a proxy
  const environment = {
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
    RATE_LIMITS: raisedRateLimits,
    TRUSTED_PROXIES: 'loopback',
  };
  const stack = await startBenchStack(environment, output);
  try {
    const { localUrl: origin, baseUrl, apiKey } = stack;
    return await run({ origin, baseUrl, apiKey }, options, logFile);
  } finally {
    await stack.stop();
    closeSync(output);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      'at-once': { type: 'string', default: '16' },
      'base-url': { type: 'string' },
      'api-key': { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void print(help);
  const { 'base-url': baseUrl, 'api-key': apiKey } = values;
  const options = { requests: Number(values.requests), seed: Number(values.seed), atOnce: Number(values['at-once']) };
  print(`${options.requests} requests, ${options.atOnce} concurrent, --seed ${options.seed}`);
  const isClean = baseUrl ? await run({ origin: baseUrl, baseUrl, apiKey }, options) : await onOwnStack(options);
  if (!isClean) process.exitCode = 1;
}

await main();
