import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type Database } from '#persistence';
import { type SentStatement } from './reads.js';

/** A node of a plan, as far as it is looked at. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  /** A mean over the loops. */
  readonly 'Actual Rows': number;
  /** 0 when it was not needed. */
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** What it costs to carry out a statement in one way. */
export interface Cost {
  /** Planned for its values; once for all values; or as PostgreSQL chooses when it was asked before. */
  readonly plan: 'custom' | 'generic' | 'auto';
  /** Tables that were read from one end to the other. */
  readonly seqScans: readonly string[];
  /** The rows of the largest sort. */
  readonly sorted: number;
  /** Rows that scans have looked at, whether they fitted or not. */
  readonly touched: number;
  /** Pages of 8 KiB, in the cache or not. */
  readonly buffers: number;
  /** Milliseconds of the processor for each run without EXPLAIN, with the planning where each run is planned. */
  readonly ms: readonly number[];
}

export interface HowToExplain {
  /** How often it is carried out and measured, after some times to get warm. */
  readonly runs: number;
  /**
   * The tables are so small that the planner rightly reads them whole, for hash joins too. So it is told not to: what it
   * does all the same has no index.
   */
  readonly isSmall: boolean;
}

const explain = 'explain (analyze, buffers, timing off, format json)';
/** After five times PostgreSQL chooses whether it goes on to plan a prepared statement for its values. */
const warmUp = 6;

/**
 * Carries out a statement in each way in which PostgreSQL may: one that is prepared is planned for its values or once for
 * all of them, and which of the two it takes depends on what else was asked over the connection. Nothing that it writes
 * stays.
 */
export async function costsOf(
  database: Database,
  { sql, parameters, isPrepared }: SentStatement,
  { runs, isSmall }: HowToExplain,
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
      // What is chosen is one of the other two: it is of interest for its time
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
  return { plan, ...shapeOf(rows[0]!['QUERY PLAN'][0].Plan), ms: await processorTimes(client, query, runs) };
}

async function processorTimes(client: pg.PoolClient, query: pg.QueryConfig, runs: number): Promise<number[]> {
  if (runs === 0) return [];
  const { rows: pids } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  for (let run = 0; run < warmUp; run += 1) await client.query(query);
  const ms: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const [since, before] = [performance.now(), processorMs(pids[0]!.pid)];
    await client.query(query);
    const [until, after] = [performance.now(), processorMs(pids[0]!.pid)];
    ms.push(before === undefined || after === undefined ? until - since : after - before);
  }
  return ms;
}

/** What a process has had of the processor, whatever else the machine does; undefined where nothing says so. */
function processorMs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** As the driver writes a parameter. */
const literalOf = (value: unknown): string =>
  value === null || value === undefined ? 'null' : pg.escapeLiteral(textOf(value));

const textOf = (value: unknown): string =>
  Array.isArray(value) ? `{${value.map((each) => JSON.stringify(each)).join()}}` : String(value);

function shapeOf(top: PlanNode): Omit<Cost, 'plan' | 'ms'> {
  const nodes = neededOf(top);
  const ofType = (end: string): PlanNode[] => nodes.filter((node) => node['Node Type'].endsWith(end));
  // A bitmap is of what its heap scan reads
  const scans = nodes.filter((node) => node['Relation Name'] !== undefined);
  return {
    seqScans: ofType('Seq Scan').map((node) => node['Relation Name'] ?? ''),
    sorted: Math.max(0, ...ofType('Sort').map((node) => rowsOf(node.Plans![0]!))),
    touched: scans.reduce((sum, node) => sum + touchedBy(node), 0),
    buffers: top['Shared Hit Blocks'] + top['Shared Read Blocks'],
  };
}

const neededOf = (node: PlanNode): PlanNode[] =>
  node['Actual Loops'] === 0 ? [] : [node, ...(node.Plans ?? []).flatMap(neededOf)];

const rowsOf = (node: PlanNode): number => Math.round(node['Actual Rows'] * node['Actual Loops']);

const touchedBy = (node: PlanNode): number =>
  rowsOf(node) +
  ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops'];
