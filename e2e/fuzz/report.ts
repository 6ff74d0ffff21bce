import type { Found, Fuzzing } from './fuzz.js';
import type { LogFindings } from './log-findings.js';

interface Run extends Fuzzing {
  readonly seconds: number;
  readonly seed: number;
  /** Undefined where nobody can read what the stack has logged. */
  readonly log: LogFindings | undefined;
}

const share = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;

const counts = (of: ReadonlyMap<string, number>): string =>
  [...of]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([status, count]) => `${status}: ${count}`)
    .join('  ');

/** What a run has shown, for people. */
export function reportOf({ tally, found, seconds, seed, log }: Run): string {
  const { requests } = tally;
  const width = Math.max(...[...tally.routes.keys()].map((route) => route.length));
  const routes = [...tally.routes].sort(([a], [b]) => a.localeCompare(b));
  return [
    `${requests} requests in ${seconds.toFixed(0)} s (seed ${seed}), ${share(tally.reachedServices, requests)} of them answered by a service`,
    '',
    ...routes.map(
      ([route, it]) =>
        `${route.padEnd(width)}  ${String(it.requests).padStart(7)}  ${share(it.reachedServices, it.requests).padStart(7)}  ${counts(it.statuses)}`,
    ),
    '',
    counts(tally.statuses),
    '',
    ...found.map(shown),
    ...(log ? [...log.crashes, ...log.planted, ...log.errors] : []),
    `failures (500 and above, but 503 and 504): ${tally.between(500, 599) - tally.between(503, 504)}`,
    `refused as too much (503, 504): ${tally.between(503, 504)}`,
    `without an answer or an end: ${tally.silent}`,
    `other defects and those above: ${tally.defects}`,
    ...(log
      ? [
          `processes that ended: ${log.crashes.length}`,
          `log lines: ${log.lines}, of which somebody else has written ${log.planted.length}, of failures ${log.errors.length}`,
        ]
      : []),
  ].join('\n');
}

/** Enough to send it again. */
const shown = ({ defect, route, seed, path, bytes }: Found): string =>
  [
    `FOUND ${route}, --seed ${seed}, path ${path ?? 'none'}`,
    defect.replaceAll(/^/gm, '  '),
    `  as sent (JSON): ${JSON.stringify(bytes.toString('latin1').slice(0, 1_500))}`,
    `  as sent (base64, ${bytes.length} bytes): ${bytes.subarray(0, 3_000).toString('base64')}`,
    '',
  ].join('\n');
