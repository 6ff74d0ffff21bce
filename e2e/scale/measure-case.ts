import { type ScaleCase } from './cases.js';
import { costsOf, type HowToExplain } from './explain.js';
import { type LargeShop } from './large-shop.js';
import { type WatchedReads } from './reads.js';
import { defectsOf } from './rules.js';

/** What a case costs, over all of its statements. */
export interface MeasuredCase {
  readonly name: string;
  readonly defects: readonly string[];
  /** Over all services. */
  readonly statements: number;
  /** Milliseconds of the processor in its dearest plan: the least of the runs, which other work has disturbed least. */
  readonly leastMs: number;
  /** The same as PostgreSQL chooses to carry it out when it is asked again and again. */
  readonly medianMs: number;
  /** Of 8 KiB, in the same way. */
  readonly buffers: number;
}

export interface ScaleStack {
  readonly reads: WatchedReads;
  readonly shop: LargeShop;
}

/** @throws Error when the case sends nothing */
export async function measureCase(
  { reads, shop }: ScaleStack,
  scaleCase: ScaleCase,
  how: HowToExplain,
): Promise<MeasuredCase> {
  const sent = await reads.sentBy((all) => scaleCase.ask(all, shop));
  if (sent.length === 0) throw new Error(`${scaleCase.name}: nothing was asked`);
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
