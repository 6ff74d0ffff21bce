import { type ProcessComparison, growthOf, type SoakResult, windowsOf, medianOf } from './growth.js';
import type { Measurement, Sample } from './sample.js';

const formatMegabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1);
const formatPercent = (growth: number): string => `${growth < 0 ? '' : '+'}${(100 * growth).toFixed(1)} %`;
const formatChange = ([before, after]: readonly [number, number]): string =>
  before === after ? String(before) : `${before} -> ${after}`;

/** Formats an aligned Markdown table. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, n) => cell.padEnd(widths[n]!)).join(' | ')} |`;
  const [headings, ...rest] = rows;
  return [line(headings!), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

/**
 * Returns a table of the growth of each process: resident memory in megabytes, counts at rest.
 */
export function processTable(comparisons: readonly ProcessComparison[]): string {
  const headings = ['process', 'MB at rest', 'growth', 'MB under load', 'growth', 'handles', 'sockets', 'threads'];
  const rows = comparisons.map(({ name, rss, underLoad, handles, sockets, threads }) => [
    name,
    rss.map(formatMegabytes).join(' -> '),
    formatPercent(growthOf(rss)),
    underLoad.map(formatMegabytes).join(' -> '),
    formatPercent(growthOf(underLoad)),
    ...[handles, sockets, threads].map(formatChange),
  ]);
  return tableOf([headings, ...rows]);
}

/**
 * Returns a table of medians of the servers. Their growth is no finding, because they store data.
 */
export function serverTable(soaked: SoakResult): string {
  const windows = windowsOf(soaked);
  const row = (name: string, figure: (moment: Measurement) => number): string[] => [
    name,
    ...windows.map((window: readonly Sample[]) => String(medianOf(window.map(figure)))),
  ];
  const roles = Object.keys(soaked.samples.at(-1)!.connections).toSorted();
  return tableOf([
    ['under load', 'after the warm-up', 'at the end'],
    ...roles.map((role) => row(`PostgreSQL connections of ${role}`, ({ connections }) => connections[role] ?? 0)),
    row('size of the database (MB)', ({ databaseBytes }) => Math.round(databaseBytes / 1024 ** 2)),
    ...(['requests', 'jobs'] as const).flatMap((name) => [
      row(`Redis of ${name}: clients`, ({ redis }) => redis[name].clients),
      row(`Redis of ${name}: used memory (kB)`, ({ redis }) => Math.round(redis[name].memory / 1024)),
    ]),
  ]);
}
