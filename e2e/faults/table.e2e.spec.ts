import { readFile } from 'node:fs/promises';
import { projectPath } from '#config';
import { allFaults } from './all-faults.js';
import type { FaultRun } from './run-fault.js';
import { eventTable, eventTablePattern, faultTable, isClean, runLine, tablePattern } from './table.js';

const run = (fault: string, more: Partial<FaultRun> = {}): FaultRun => ({
  fault,
  requests: 100,
  acknowledgedWrites: 30,
  failures: {},
  firstSuccessMs: 12,
  allKindsMs: 800,
  lastFailureMs: 1_500,
  settledMs: 200,
  oldestEventMs: 90,
  events: 40,
  deliveries: 42,
  failed: 3,
  repeated: 2,
  replayed: 1,
  deliveredMs: 1_200,
  lost: [],
  duplicated: [],
  wrong: [],
  ...more,
});

const cells = (table: string): string[][] =>
  table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('the fault table', () => {
  it('has a row per fault, in the order of first runs, and a total', () => {
    const table = cells(faultTable([run('b'), run('a'), run('b')]));
    expect(table.map(([fault, runs, writes]) => [fault, runs, writes])).toEqual([
      ['Fault', 'Runs', 'Writes'],
      ['---', '---:', '---:'],
      ['b', '2', '60'],
      ['a', '1', '30'],
      ['**all**', '3', '90'],
    ]);
  });

  it('counts failures by kind, and others in a separate column', () => {
    const failures: FaultRun['failures'][] = [{ '503': 2, 'no response': 1 }, { '503': 1, '500': 4 }, { '502': 1 }];
    const [header, , row] = cells(faultTable(failures.map((it) => run('a', { failures: it }))));
    const byName = Object.fromEntries(header!.map((name, column) => [name, row![column]]));
    expect(byName).toMatchObject({ '503': '3', '504': '-', 'no response': '1', Other: '5' });
  });

  it('shows the median and the longest time, and a dash for zero', () => {
    const [, , row] = cells(faultTable([40, 9_000, 1_000].map((lastFailureMs) => run('a', { lastFailureMs }))));
    expect(row!.at(-3)).toBe('1.0 / 9.0');
    const [, , mostlyZero] = cells(faultTable([0, 0, 700].map((lastFailureMs) => run('a', { lastFailureMs }))));
    expect(mostlyZero!.at(-3)).toBe('- / 0.7');
    const [, , zero] = cells(faultTable([run('a', { lastFailureMs: 0 })]));
    expect(zero!.at(-3)).toBe('-');
  });
});

/** Returns the faults of a table with enough runs and without findings of these kinds. */
const cleanFaults = (table: string, minRuns: number, findings = ['Lost', 'Duplicated', 'Wrong']): string[] => {
  const [header = [], , ...rows] = cells(table);
  return rows
    .map((row) => Object.fromEntries(header.map((name, column) => [name, row[column]])))
    .filter((figures) => Number(figures.Runs) >= minRuns && findings.every((name) => figures[name] === '-'))
    .map(({ Fault }) => Fault!)
    .filter((fault) => fault !== '**all**');
};

describe('the tables of docs/measurements/faults.md', () => {
  it('have ten clean runs for every fault, or five in which no event was lost or duplicated', async () => {
    const text = await readFile(projectPath('docs/measurements/faults.md'), 'utf8');
    const tableOf = (pattern: RegExp) => pattern.exec(text)![0].trim();
    const ofEvents = cleanFaults(tableOf(eventTablePattern), 10, ['Lost', 'Duplicated']);
    const clean = [...cleanFaults(tableOf(tablePattern), 10), ...ofEvents];
    expect([...new Set(clean)].toSorted()).toEqual(allFaults.map(({ name }) => name).toSorted());
  });

  it('does not count rows with fewer runs or with findings', () => {
    const runs = (fault: string, count: number, more: Partial<FaultRun> = {}) => [
      ...Array.from({ length: count - 1 }, () => run(fault)),
      run(fault, more),
    ];
    const all = [
      ...runs('clean', 10),
      ...runs('seldom', 9),
      ...['lost', 'duplicated', 'wrong'].flatMap((finding) => runs(finding, 10, { [finding]: ['x'] })),
    ];
    expect(cleanFaults(faultTable(all), 10)).toEqual(['clean']);
  });
});

it('the event table sums events, deliveries and replays', () => {
  const [header, , row] = cells(eventTable([run('a'), run('a', { lost: ['x'] })]));
  expect(Object.fromEntries(header!.map((name, column) => [name, row![column]]))).toEqual({
    Fault: 'a',
    Runs: '2',
    Writes: '60',
    Events: '80',
    Deliveries: '84',
    'Failed attempts': '6',
    Repeated: '4',
    Replayed: '2',
    Delivered: '1.2',
    Lost: '1',
    Duplicated: '-',
    Wrong: '-',
  });
});

describe('a run', () => {
  it('is clean without lost, duplicated or wrong data', () => {
    expect(isClean(run('a', { failures: { '503': 9 } }))).toBe(true);
    for (const finding of ['lost', 'duplicated', 'wrong']) expect(isClean(run('a', { [finding]: ['x'] }))).toBe(false);
  });

  it('prints each finding on a separate line', () => {
    const line = runLine(run('a', { lost: ['material 1'], wrong: ['a job failed'] }), 2, 10);
    expect(line).toMatch(
      /^a 2\/10: 30 writes, 40 events, .* 1 lost, 0 duplicated, no failures, .*\n {4}material 1\n {4}a job failed$/,
    );
  });
});
