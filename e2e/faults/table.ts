import type { FaultRun } from './run-fault.js';

const failureColumns = ['503', '504', '429', 'no response', 'not connected'] as const;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, it) => total + it, 0);

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Replaces zero by a dash. */
const unlessZero = (figure: string): string => (Number(figure) === 0 ? '-' : figure);

/** Matches the table in docs/measurements/faults.md. */
export const tablePattern = /(?<=<!-- fault table -->\n)[\s\S]*(?=<!-- end of fault table -->)/;

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

const header = [
  ...['Fault', 'Runs', 'Writes', 'Lost', 'Duplicated', 'Wrong'],
  ...failureColumns,
  ...['Other', 'Recovered', 'Last failure', 'Settled', 'Oldest event'],
];

function row(fault: string, runs: readonly FaultRun[]): string[] {
  const total = (count: (run: FaultRun) => number) => unlessZero(String(sum(runs.map(count))));
  return [
    ...[fault, String(runs.length), total(({ acknowledgedWrites }) => acknowledgedWrites)],
    total(({ lost }) => lost.length),
    total(({ duplicated }) => duplicated.length),
    total(({ wrong }) => wrong.length),
    ...failureColumns.map((kind) => total(({ failures }) => failures[kind] ?? 0)),
    total(otherFailures),
    formatLongest(runs.map(({ allKindsMs }) => allKindsMs)),
    formatSpread(runs.map(({ lastFailureMs }) => lastFailureMs)),
    formatLongest(runs.map(({ settledMs }) => settledMs)),
    formatLongest(runs.map(({ oldestEventMs }) => oldestEventMs)),
  ];
}

/** Returns the fault table as Markdown: a row per fault in the order of first runs, and a total. */
export function faultTable(runs: readonly FaultRun[]): string {
  const faults = [...new Set(runs.map(({ fault }) => fault))];
  const rows = faults.map((fault) =>
    row(
      fault,
      runs.filter((run) => run.fault === fault),
    ),
  );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const align = header.map((_, column) => (column === 0 ? '---' : '---:'));
  return [header, align, ...rows, row('**all**', runs)].map(line).join('\n');
}

/** Returns a line about a run, and one for each finding. */
export function runLine(run: FaultRun, number: number, of: number): string {
  const failures = Object.entries(run.failures).map(([kind, count]) => `${count} x ${kind}`);
  const facts = [
    `${run.acknowledgedWrites} writes`,
    `${run.lost.length} lost`,
    `${run.duplicated.length} duplicated`,
    failures.join(', ') || 'no failures',
    `first success ${seconds(run.firstSuccessMs)} s, of every kind ${seconds(run.allKindsMs)} s`,
    `last failure ${seconds(run.lastFailureMs)} s`,
  ];
  const findings = [...run.lost, ...run.duplicated, ...run.wrong].map((finding) => `\n    ${finding}`);
  return `${run.fault} ${number}/${of}: ${facts.join(', ')}${findings.join('')}`;
}
