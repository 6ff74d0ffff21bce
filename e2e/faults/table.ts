import type { FaultRun } from './run-fault.js';

const failureColumns = ['503', '504', '429', 'no response', 'not connected'] as const;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, it) => total + it, 0);

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Replaces zero by a dash. */
const unlessZero = (figure: string): string => (Number(figure) === 0 ? '-' : figure);

/** Match the tables in docs/measurements/faults.md. */
export const tablePattern = /(?<=<!-- fault table -->\n)[\s\S]*(?=<!-- end of fault table -->)/;
export const eventTablePattern = /(?<=<!-- event table -->\n)[\s\S]*(?=<!-- end of event table -->)/;

const formatLongest = (milliseconds: readonly number[]): string => unlessZero(seconds(Math.max(...milliseconds)));

/** Returns the median and the maximum in seconds: `1.0 / 9.0`. */
function formatSpread(milliseconds: readonly number[]): string {
  const median = milliseconds.toSorted((one, other) => one - other)[Math.floor((milliseconds.length - 1) / 2)]!;
  return formatLongest(milliseconds) === '-' ? '-' : `${unlessZero(seconds(median))} / ${formatLongest(milliseconds)}`;
}

/** Returns the number of failures that have no column of their own, such as 500. */
const otherFailures = ({ failures }: FaultRun): number =>
  sum(Object.entries(failures).map(([kind, count]) => (failureColumns.some((it) => it === kind) ? 0 : count)));

/** Returns whether a run has no findings. */
export const isClean = ({ lost, duplicated, wrong }: FaultRun): boolean =>
  lost.length + duplicated.length + wrong.length === 0;

interface Column {
  readonly name: string;
  readonly cell: (runs: readonly FaultRun[]) => string;
}

const total = (name: string, count: (run: FaultRun) => number): Column => ({
  name,
  cell: (runs) => unlessZero(String(sum(runs.map(count)))),
});

const writes: readonly Column[] = [
  { name: 'Runs', cell: (runs) => String(runs.length) },
  total('Writes', ({ acknowledgedWrites }) => acknowledgedWrites),
];
const findings: readonly Column[] = [
  total('Lost', ({ lost }) => lost.length),
  total('Duplicated', ({ duplicated }) => duplicated.length),
  total('Wrong', ({ wrong }) => wrong.length),
];
const recovery: readonly Column[] = [
  ...failureColumns.map((kind) => total(kind, ({ failures }) => failures[kind] ?? 0)),
  total('Other', otherFailures),
  { name: 'Recovered', cell: (runs) => formatLongest(runs.map(({ allKindsMs }) => allKindsMs)) },
  { name: 'Last failure', cell: (runs) => formatSpread(runs.map(({ lastFailureMs }) => lastFailureMs)) },
  { name: 'Settled', cell: (runs) => formatLongest(runs.map(({ settledMs }) => settledMs)) },
  { name: 'Oldest event', cell: (runs) => formatLongest(runs.map(({ oldestEventMs }) => oldestEventMs)) },
];
const deliveries: readonly Column[] = [
  total('Events', ({ events }) => events),
  total('Deliveries', (run) => run.deliveries),
  total('Failed attempts', ({ failed }) => failed),
  total('Repeated', ({ repeated }) => repeated),
  total('Replayed', ({ replayed }) => replayed),
  { name: 'Delivered', cell: (runs) => formatLongest(runs.map(({ deliveredMs }) => deliveredMs)) },
];

/** Returns a Markdown table: a row per fault in the order of first runs, and a total. */
function tableOf(columns: readonly Column[], runs: readonly FaultRun[]): string {
  const row = (name: string, its: readonly FaultRun[]) => [name, ...columns.map(({ cell }) => cell(its))];
  const faults = [...new Set(runs.map(({ fault }) => fault))];
  const rows = faults.map((fault) =>
    row(
      fault,
      runs.filter((run) => run.fault === fault),
    ),
  );
  const header = ['Fault', ...columns.map(({ name }) => name)];
  const align = header.map((_, column) => (column === 0 ? '---' : '---:'));
  return [header, align, ...rows, row('**all**', runs)].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Returns the table of failed requests and recovery as Markdown. */
export const faultTable = (runs: readonly FaultRun[]): string => tableOf([...writes, ...findings, ...recovery], runs);

/** Returns the table of events and webhooks as Markdown. */
export const eventTable = (runs: readonly FaultRun[]): string => tableOf([...writes, ...deliveries, ...findings], runs);

/** Returns a line about a run, and one for each finding. */
export function runLine(run: FaultRun, number: number, of: number): string {
  const failures = Object.entries(run.failures).map(([kind, count]) => `${count} x ${kind}`);
  const facts = [
    `${run.acknowledgedWrites} writes`,
    `${run.events} events`,
    `${run.deliveries} deliveries (${run.failed} failed attempts, ${run.repeated} repeated, ${run.replayed} replayed)`,
    `${run.lost.length} lost`,
    `${run.duplicated.length} duplicated`,
    failures.join(', ') || 'no failures',
    `first success ${seconds(run.firstSuccessMs)} s, of every kind ${seconds(run.allKindsMs)} s`,
    `last failure ${seconds(run.lastFailureMs)} s`,
  ];
  const findings = [...run.lost, ...run.duplicated, ...run.wrong].map((finding) => `\n    ${finding}`);
  return `${run.fault} ${number}/${of}: ${facts.join(', ')}${findings.join('')}`;
}
