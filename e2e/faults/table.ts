import type { Run } from './run-fault.js';

const shown = ['503', '504', '429', 'no answer', 'not connected'] as const;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, it) => total + it, 0);

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** In the table, where most figures are zero. */
const unlessZero = (figure: string): string => (Number(figure) === 0 ? '-' : figure);

/** Where docs/measurements/faults.md has its table. */
export const tableMarks = /(?<=<!-- fault table -->\n)[\s\S]*(?=<!-- end of fault table -->)/;

const longest = (milliseconds: readonly number[]): string => unlessZero(seconds(Math.max(...milliseconds)));

/** The median and the longest, in seconds. */
function spread(milliseconds: readonly number[]): string {
  const median = milliseconds.toSorted((one, other) => one - other)[Math.floor((milliseconds.length - 1) / 2)]!;
  return longest(milliseconds) === '-' ? '-' : `${unlessZero(seconds(median))} / ${longest(milliseconds)}`;
}

/** Failures that are no column of their own: 500 and its like. */
const otherFailures = ({ failures }: Run): number =>
  sum(Object.entries(failures).map(([kind, count]) => (shown.some((it) => it === kind) ? 0 : count)));

/** Whether a run kept every promise. */
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

/** The fault table in Markdown: a row for each fault in the order of its first run, and the sum of all. */
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

/** One run in one line, for whoever waits. */
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
