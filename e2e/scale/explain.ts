import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type Database } from '#persistence';
import { type SentStatement } from './reads.js';

/** Fields of a plan node that are used here. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  /** Mean over the loops. */
  readonly 'Actual Rows': number;
  /** 0 if the node was not executed. */
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** Cost of a statement with one plan. */
export interface Cost {
  /** Plan for the values (custom), for all values (generic), or chosen by PostgreSQL (auto). */
  readonly plan: 'custom' | 'generic' | 'auto';
  /** Sequentially scanned tables. */
  readonly seqScans: readonly string[];
  /** Rows of the largest sort. */
  readonly sorted: number;
  /** Scanned rows, including filtered ones. */
  readonly touched: number;
  /** Buffers of 8 KiB, hit or read. */
  readonly buffers: number;
  /**
   * CPU milliseconds of each run without EXPLAIN, including planning of custom plans; elapsed
   * milliseconds on a system without /proc.
   */
  readonly ms: readonly number[];
}

export interface ExplainOptions {
  /** Measured runs after the warm-up. */
  readonly runs: number;
  /**
   * True for small tables, for which the planner prefers sequential scans, hash and merge joins.
   * These are disabled, so that a remaining sequential scan shows a missing index.
   */
  readonly isSmall: boolean;
}

const explain = 'explain (analyze, buffers, timing off, format json)';
/**
 * Runs before the measured ones: PostgreSQL decides after five executions of a prepared statement
 * whether to use a generic plan.
 */
const warmUpRuns = 6;

/**
 * Executes a statement and returns its costs by plan. A prepared statement is executed with a
 * custom, a generic and, if `runs` is not 0, the automatic plan, because the plan that PostgreSQL
 * chooses depends on earlier executions on the connection. Other statements have a custom plan
 * only. Writes are rolled back.
 */
export async function costsOf(
  database: Database,
  { sql, parameters, isPrepared }: SentStatement,
  { runs, isSmall }: ExplainOptions,
): Promise<Cost[]> {
  const { master } = database.source.driver as unknown as { readonly master: pg.Pool };
  const client = await master.connect();
  try {
    await client.query('begin');
    if (isSmall)
      for (const way of ['seqscan', 'hashjoin', 'mergejoin']) await client.query(`set local enable_${way} = off`);
    if (!isPrepared) return [await costOf(client, 'custom', { text: sql, values: [...parameters] }, runs)];
    const costs: Cost[] = [];
    const text = `execute it${parameters.length === 0 ? '' : `(${parameters.map(literalOf).join()})`}`;
    await client.query(`prepare it as ${sql}`);
    for (const [plan, mode] of Object.entries(modes)) {
      // The automatic plan is one of the other two: without measured runs it shows nothing new
      if (plan === 'auto' && runs === 0) continue;
      await client.query(`set local plan_cache_mode = ${mode}`);
      costs.push(await costOf(client, plan as Cost['plan'], { text }, runs));
    }
    await client.query('deallocate it');
    return costs;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const modes = { custom: 'force_custom_plan', generic: 'force_generic_plan', auto: 'auto' } as const;

async function costOf(client: pg.PoolClient, plan: Cost['plan'], query: pg.QueryConfig, runs: number): Promise<Cost> {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>({
    ...query,
    text: `${explain} ${query.text}`,
  });
  return { plan, ...figuresOf(rows[0]!['QUERY PLAN'][0].Plan), ms: await cpuTimesOf(client, query, runs) };
}

async function cpuTimesOf(client: pg.PoolClient, query: pg.QueryConfig, runs: number): Promise<number[]> {
  if (runs === 0) return [];
  const { rows: pids } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  for (let run = 0; run < warmUpRuns; run += 1) await client.query(query);
  const ms: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const [since, before] = [performance.now(), cpuMsOf(pids[0]!.pid)];
    await client.query(query);
    const [until, after] = [performance.now(), cpuMsOf(pids[0]!.pid)];
    ms.push(before === undefined || after === undefined ? until - since : after - before);
  }
  return ms;
}

/** Returns the CPU milliseconds of a process; undefined on a system without /proc. */
function cpuMsOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** Returns a parameter as an SQL literal. */
const literalOf = (value: unknown): string =>
  value === null || value === undefined ? 'null' : pg.escapeLiteral(textOf(value));

const textOf = (value: unknown): string =>
  Array.isArray(value) ? `{${value.map((each) => JSON.stringify(each)).join()}}` : String(value);

function figuresOf(top: PlanNode): Omit<Cost, 'plan' | 'ms'> {
  const nodes = executedNodesOf(top);
  const ofType = (end: string): PlanNode[] => nodes.filter((node) => node['Node Type'].endsWith(end));
  // Without bitmap index scans, whose rows their heap scan counts
  const scans = nodes.filter((node) => node['Relation Name'] !== undefined);
  return {
    seqScans: ofType('Seq Scan').map((node) => node['Relation Name'] ?? ''),
    sorted: Math.max(0, ...ofType('Sort').map((node) => rowsOf(node.Plans![0]!))),
    touched: scans.reduce((sum, node) => sum + scannedRowsOf(node), 0),
    buffers: top['Shared Hit Blocks'] + top['Shared Read Blocks'],
  };
}

const executedNodesOf = (node: PlanNode): PlanNode[] =>
  node['Actual Loops'] === 0 ? [] : [node, ...(node.Plans ?? []).flatMap(executedNodesOf)];

const rowsOf = (node: PlanNode): number => Math.round(node['Actual Rows'] * node['Actual Loops']);

const scannedRowsOf = (node: PlanNode): number =>
  rowsOf(node) +
  ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops'];
