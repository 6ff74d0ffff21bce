import type { Run } from './run-fault.js';

const shown = ['503', '504', '429', 'no response', 'not connected'] as const;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, it) => total + it, 0);

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Returns a dash for zero. */
const unlessZero = (figure: string): string => (Number(figure) === 0 ? '-' : figure);

/** Pattern of the table in docs/measurements/faults.md. */
export const tablePattern = /(?<=<!-- fault table -->\n)[\s\S]*(?=<!-- end of fault table -->)/;

const longest = (milliseconds: readonly number[]): string => unlessZero(seconds(Math.max(...milliseconds)));

/** Returns median and maximum in seconds. */
function spread(milliseconds: readonly number[]): string {
  const median = milliseconds.toSorted((one, other) => one - other)[Math.floor((milliseconds.length - 1) / 2)]!;
  return longest(milliseconds) === '-' ? '-' : `${unlessZero(seconds(median))} / ${longest(milliseconds)}`;
}

/** Returns the number of failures without a separate column, such as 500. */
const otherFailures = ({ failures }: Run): number =>
  sum(Object.entries(failures).map(([kind, count]) => (shown.some((it) => it === kind) ? 0 : count)));

/** Returns whether a run has no findings. */
export const isClean = ({ lost, duplicated, wrong }: Run): boolean =>
  lost.length + duplicated.length + wrong.length === 0;

const header = [
  ...['Fault', 'Runs', 'Writes', 'Lost', 'Duplicated', 'Wrong'],
  ...shown,
  ...['Other', 'Recovered', 'Last failure', 'Settled', 'Oldest event'],
];

function row(fault: string, runs: readonly Run[]): string[] {
  const total = (count: (run: Run) => number) => unlessZero(String(sum(runs.map(count))));
  return [
    ...[fault, String(runs.length), total(({ acknowledgedWrites }) => acknowledgedWrites)],
    total(({ lost }) => lost.length),
    total(({ duplicated }) => duplicated.length),
    total(({ wrong }) => wrong.length),
    ...shown.map((kind) => total(({ failures }) => failures[kind] ?? 0)),
    total(otherFailures),
    longest(runs.map(({ allKindsMs }) => allKindsMs)),
    spread(runs.map(({ lastFailureMs }) => lastFailureMs)),
    longest(runs.map(({ settledMs }) => settledMs)),
    longest(runs.map(({ oldestEventMs }) => oldestEventMs)),
  ];
}

/** Returns the fault table as Markdown: a row per fault in the order of first runs, and a total. */
export function faultTable(runs: readonly Run[]): string {
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

/** Formats a run in one line. */
export function runLine(run: Run, number: number, of: number): string {
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
