import type { DefectiveRequest, FuzzResult } from './fuzz.js';
import type { LogFindings } from './log-findings.js';

interface FuzzRun extends FuzzResult {
  readonly seconds: number;
  readonly seed: number;
  /** Undefined if the log of the stack is not available. */
  readonly log: LogFindings | undefined;
}

const percentOf = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;

const formatCounts = (of: ReadonlyMap<string, number>): string =>
  [...of]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([status, count]) => `${status}: ${count}`)
    .join('  ');

/** Returns the report of a run as text. */
export function reportOf({ tally, found, seconds, seed, log }: FuzzRun): string {
  const { requests } = tally;
  const width = Math.max(...[...tally.routes.keys()].map((route) => route.length));
  const routes = [...tally.routes].sort(([a], [b]) => a.localeCompare(b));
  return [
    `${requests} requests in ${seconds.toFixed(0)} s (seed ${seed}), ${percentOf(tally.reachedServices, requests)} of them handled by a service`,
    '',
    ...routes.map(
      ([route, it]) =>
        `${route.padEnd(width)}  ${String(it.requests).padStart(7)}  ${percentOf(it.reachedServices, it.requests).padStart(7)}  ${formatCounts(it.statuses)}`,
    ),
    '',
    formatCounts(tally.statuses),
    '',
    ...found.map(formatDefective),
    ...(log ? [...log.crashes, ...log.planted, ...log.errors] : []),
    `failures (500 and above, but 503 and 504): ${tally.between(500, 599) - tally.between(503, 504)}`,
    `rejected under load (503, 504): ${tally.between(503, 504)}`,
    `timed out: ${tally.silent}`,
    `other defects and those above: ${tally.defects}`,
    ...(log
      ? [
          `process exits: ${log.crashes.length}`,
          `log lines: ${log.lines}, of which injected ${log.planted.length}, errors ${log.errors.length}`,
        ]
      : []),
  ].join('\n');
}

/** Formats a defective request with the data to reproduce it. */
const formatDefective = ({ defect, route, seed, path, bytes }: DefectiveRequest): string =>
  [
    `FOUND ${route}, --seed ${seed}, path ${path ?? 'none'}`,
    defect.replaceAll(/^/gm, '  '),
    `  as sent (JSON): ${JSON.stringify(bytes.toString('latin1').slice(0, 1_500))}`,
    `  as sent (base64, ${bytes.length} bytes): ${bytes.subarray(0, 3_000).toString('base64')}`,
    '',
  ].join('\n');
