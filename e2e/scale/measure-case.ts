import { type ScaleCase } from './cases.js';
import { costsOf, type ExplainOptions } from './explain.js';
import { type LargeShop } from './large-shop.js';
import { type RecordedReads } from './reads.js';
import { defectsOf } from './rules.js';

/** Cost of a case over all statements. */
export interface MeasuredCase {
  readonly name: string;
  readonly defects: readonly string[];
  /** Number of statements over all services. */
  readonly statements: number;
  /**
   * Minimum CPU milliseconds of the most expensive plan. The minimum is of the run that other work
   * has disturbed least.
   */
  readonly leastMs: number;
  /** Median CPU milliseconds with the automatic plan. */
  readonly medianMs: number;
  /** Buffers of 8 KiB with the automatic plan. */
  readonly buffers: number;
}

export interface ScaleStack {
  readonly reads: RecordedReads;
  readonly shop: LargeShop;
}

/** Measures a case. @throws Error if it sends no statement */
export async function measureCase(
  { reads, shop }: ScaleStack,
  scaleCase: ScaleCase,
  how: ExplainOptions,
): Promise<MeasuredCase> {
  const sent = await reads.sentBy((all) => scaleCase.read(all, shop));
  if (sent.length === 0) throw new Error(`${scaleCase.name}: no statement was sent`);
  const defects: string[] = [];
  const sum = { leastMs: 0, medianMs: 0, buffers: 0 };
  for (const statement of sent) {
    if (scaleCase.kind !== 'list' && statement.withinMs === undefined)
      defects.push(`${scaleCase.name}: is a search, and has no limit of its own`);
    const costs = await costsOf(reads.databases[statement.service], statement, how);
    defects.push(...costs.flatMap((cost) => defectsOf(cost, scaleCase, how)));
    const usual = costs.at(-1)!;
    sum.leastMs += Math.max(...costs.map(({ ms }) => Math.min(...ms)));
    sum.medianMs += medianOf(usual.ms);
    sum.buffers += usual.buffers;
  }
  return { name: scaleCase.name, defects, statements: sent.length, ...sum };
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
