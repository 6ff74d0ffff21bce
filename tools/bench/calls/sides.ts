import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { projectPath } from '#config';
import { appOf } from '../../dev-stack/apps/apps.js';
import { type BenchStack, countUnfinishedJobs } from '../bench-stack.js';
import type { FloorOrder } from '../floor/main.js';
import { pssOf, usageOf } from '../process-usage.js';

/** One of two compared services: origin and processes. */
export interface Side {
  readonly name: 'ours' | 'floor';
  readonly origin: string;
  /**
   * Process ids by component: `gateway`, `catalog`, `children` of apps, `redis`, `postgres`, or
   * `floor`, the minimal server for comparison.
   */
  parts(): Promise<ReadonlyMap<string, readonly number[]>>;
  /**
   * Resolves when the events of writes are published and consumed by activity and webhooks, which
   * is part of the cost of a write.
   */
  waitForEvents?(): Promise<void>;
}

/** Program of a child process of an app: the decoder of material-rendering. */
const childProgram = /\/dist\/apps\/[\w-]+\/src\/children\//;

const partOf = (command: string): string | undefined =>
  appOf(command) ??
  (childProgram.test(command) ? 'children' : ['redis', 'postgres'].find((server) => command.includes(server)));

async function partsOf(pids: readonly number[]): Promise<Map<string, number[]>> {
  const parts = new Map<string, number[]>();
  for (const member of pids) {
    const command = await readFile(`/proc/${member}/cmdline`, 'utf8').catch(() => '');
    const part = partOf(command);
    if (part !== undefined) parts.set(part, [...(parts.get(part) ?? []), member]);
  }
  return parts;
}

/** Returns the side that consists of all processes of a stack. */
export const ourSide = (stack: BenchStack): Side => ({
  name: 'ours',
  origin: stack.localUrl,
  parts: async () => partsOf(await stack.processes()),
  waitForEvents: () => waitForEvents(stack),
});

const pollIntervalMs = 50;

const outboxes = ['social', 'catalog', 'activity'].map((schema) => `select from ${schema}.outbox`).join(' union all ');

async function waitForEvents({ databaseUrl, consumers }: BenchStack): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const waiting = async (): Promise<boolean> => {
    const { rows } = await client.query(`${outboxes} limit 1`);
    const queued = await Promise.all(consumers.map(countUnfinishedJobs));
    return rows.length > 0 || queued.some((count) => count > 0);
  };
  while (await waiting()) await sleep(pollIntervalMs);
  await client.end();
}

/**
 * Starts the floor, which uses the PostgreSQL of the stack: only one side is measured at a time.
 */
export async function startFloor(stack: BenchStack, viewerId: number): Promise<Side & { end(): void }> {
  const { databaseUrl, blobStoreUrl, baseUrl, imageSigningSecret } = stack;
  const child: ChildProcess = fork(projectPath('dist/tools/bench/floor/main.js'), { stdio: 'inherit' });
  child.send({ databaseUrl, blobStoreUrl, baseUrl, imageSigningSecret, viewerId } satisfies FloorOrder);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    name: 'floor',
    origin: `http://127.0.0.1:${port}`,
    parts: async () => {
      const postgres = (await partsOf(await stack.processes())).get('postgres')!;
      return new Map([
        ['floor', [child.pid!]],
        ['postgres', postgres],
      ]);
    },
    end: () => child.disconnect(),
  };
}

/**
 * Returns the CPU time of each component in milliseconds.
 *
 * @param excludedPid process that is not counted
 */
export async function cpuOf(side: Side, excludedPid?: number): Promise<Map<string, number>> {
  const used = new Map<string, number>();
  for (const [part, pids] of await side.parts()) {
    // The time of a process that ends is added to its parent
    const each = await Promise.all(
      pids
        .filter((pid) => pid !== excludedPid)
        .map((pid) =>
          usageOf(pid).then(
            ({ cpuMs }) => cpuMs,
            () => 0,
          ),
        ),
    );
    used.set(
      part,
      each.reduce((sum, ms) => sum + ms, 0),
    );
  }
  return used;
}

/** Returns the memory of each component in MB; shared pages are counted once (PSS). */
export async function memoryOf(side: Side): Promise<Record<string, number>> {
  const memory: Record<string, number> = {};
  for (const [part, pids] of await side.parts()) {
    const each = await Promise.all(pids.map((pid) => pssOf(pid).catch(() => 0)));
    memory[part] = Math.round(each.reduce((sum, bytes) => sum + bytes, 0) / 1024 ** 2);
  }
  return memory;
}
