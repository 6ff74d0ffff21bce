import { type AimedCase } from './drawing.js';
import { type Contender, type Sample, type Samples } from './rounds.js';
import { cost, judge, ratio, type Verdict } from './verdict.js';

/** Results of a case: CPU and wall-clock milliseconds per image. */
interface Row {
  readonly name: string;
  readonly ours: Sample | undefined;
  readonly floor: Sample | undefined;
  readonly imageMagick: Sample | undefined;
  readonly timesFloor: number | undefined;
  readonly verdicts: readonly Verdict[];
}

export function rowOf({ name, aims }: AimedCase, samples: Samples): Row {
  const verdicts = aims.map((aim) => judge(samples, aim)).filter((verdict) => verdict !== undefined);
  const of = (contender: Contender): Sample | undefined => cost(samples, contender);
  const timesFloor = ratio(samples, 'ours', 'floor');
  return { name, ours: of('ours'), floor: of('floor'), imageMagick: of('ImageMagick'), timesFloor, verdicts };
}

/**
 * Formats the results: CPU and wall-clock milliseconds per image by contender, ratio to the floor,
 * and targets with results.
 */
export function tableOf(rows: readonly Row[]): string {
  const head = ['', 'ours', '', 'floor', '', 'IM', '', 'ours/', 'aims'];
  const units = ['CPU and wall ms per image', 'CPU', 'wall', 'CPU', 'wall', 'CPU', 'wall', 'floor', ''];
  const lines = [head, units, ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const last = head.length - 1;
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0]!) : column === last ? cell : cell.padStart(widths[column]!);
  return lines.map((line) => line.map(padded).join('  ').trimEnd()).join('\n');
}

function cellsOf({ name, ours, floor, imageMagick, timesFloor, verdicts }: Row): string[] {
  const pair = (sample: Sample | undefined): string[] =>
    sample ? [sample.cpuMs.toFixed(1), sample.wallMs.toFixed(1)] : ['', ''];
  const aims = verdicts.map(({ aim, value, reached }) => `${aim}: ${value.toFixed(2)} ${reached ? 'yes' : 'NO'}`);
  return [name, ...pair(ours), ...pair(floor), ...pair(imageMagick), timesFloor?.toFixed(2) ?? '', aims.join(', ')];
}
