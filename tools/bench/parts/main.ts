import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { request } from 'undici';
import { openQueueClients } from '#request-queue';
import { Storefront } from '#demo-shop';
import { MaterialMaker } from '../materials.js';
import { type BenchStack, startBenchStack, unfinished } from '../bench-stack.js';
import { numberOf } from '../number-of.js';
import { usageOf } from '../process-usage.js';

const help = `Usage: npm run bench:parts -- [--requests 2000] [--materials 20]

What docs/operations.md adds up, as far as the other measurements do not say it: processor time of each part for a list that
the client has, for a picture that is drawn already, and for one that is not; what a new material and a favorite write
to the log of PostgreSQL; and how many pictures and bytes a material leaves in the blob store. Starts a stack of its own. Linux only.`;

const callers = 16;

/** `catalog`, `redis of requests`, `postgres`: what a process is a part of. */
async function partOf(pid: number, stack: BenchStack): Promise<string> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const program = words.find((word) => word.includes('/programs/'));
  if (program !== undefined) return program.slice(program.lastIndexOf('/') + 1).replace('.js', '');
  if (words.some((word) => word.endsWith('.child.js'))) return 'decoder';
  if (/postgres/.test(words[0]!)) return 'postgres';
  if (!/redis|valkey/.test(words[0]!)) return 'others';
  return words.join(' ').includes(`:${new URL(stack.jobsUrl).port}`) ? 'redis of jobs' : 'redis of requests';
}

/** Milliseconds of the processor that each part has used until now. */
async function usage(stack: BenchStack): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const pid of await stack.processes()) {
    const part = await partOf(pid, stack);
    const used = await usageOf(pid).catch(() => ({ cpuMs: 0 }));
    sums.set(part, (sums.get(part) ?? 0) + used.cpuMs);
  }
  return sums;
}

async function together(times: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < times) await work(next++);
    }),
  );
}

/** Does something so many times, some at once, and prints what it cost each time, in microseconds. */
async function cost(stack: BenchStack, what: string, times: number, work: (n: number) => Promise<unknown>) {
  const before = await usage(stack);
  await together(times, work);
  const parts = [...(await usage(stack))].flatMap(([part, after]) => {
    const us = Math.round(((after - (before.get(part) ?? 0)) * 1_000) / times);
    return us > 0 ? [`${part} ${us}`] : [];
  });
  console.log(`${what}: ${parts.join(', ')} us each, of ${times}`);
}

async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
  return { files: files.length, bytes: sizes.reduce((sum, { size }) => sum + size, 0) };
}

/** Bytes of the log of PostgreSQL that something writes, each time. */
async function logged(owner: pg.Client, what: string, times: number, work: () => Promise<unknown>): Promise<void> {
  const here = async () =>
    (await owner.query<{ at: string }>(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as at`)).rows[0]!.at;
  await owner.query('checkpoint');
  const before = Number(await here());
  await work();
  console.log(`${what}: ${Math.round((Number(await here()) - before) / times)} bytes of log`);
}

/** An answer that is read to its end. @throws Error with the status that nobody has expected */
async function asked(url: string, status: number, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  await answer.arrayBuffer();
  if (answer.status !== status) throw new Error(`${url} was answered ${answer.status}`);
  return answer;
}

async function measure(stack: BenchStack, owner: pg.Client, { requests, materials }: Plan, fan: Storefront) {
  const maker = await MaterialMaker.of(new Storefront(stack.localUrl, stack.apiKey));
  const made = [await maker.create()];
  const folder = fileURLToPath(stack.blobStoreUrl);
  const quiet = async (): Promise<void> => {
    do await sleep(1_000);
    while ((await unfinished(stack.jobs)) + (await unfinished(stack.activities)) > 0);
  };
  await quiet();
  const before = await sizeOf(folder);
  await logged(owner, 'a material', materials, () =>
    cost(stack, 'a material, drawn', materials, async () => {
      made.push(await maker.create());
      if (made.length > materials) await quiet();
    }),
  );
  const after = await sizeOf(folder);
  const each = (what: 'files' | 'bytes') => Math.round((after[what] - before[what]) / materials);
  console.log(
    `a material: ${made[0]!.products.length} products, ${each('files')} blobs, ${each('bytes')} bytes of them`,
  );

  const products = made.flatMap((material) => material.products);
  await logged(owner, 'a favorite', products.length, async () => {
    for (const { id } of products) await fan.favor(id);
    await quiet();
  });

  const list = `${stack.localUrl}/api/v1/products?limit=20`;
  const authorization = { authorization: `Bearer ${stack.apiKey}` };
  const plain = { ...authorization, 'accept-encoding': 'identity' };
  const tag = (await asked(list, 200, plain)).headers.get('etag')!;
  const listed = () => asked(list, 200, plain);
  // Programs are slow at first
  await together(requests, listed);
  await cost(stack, 'list, 200', requests, listed);
  await cost(stack, 'list, 304', requests, () => asked(list, 304, { ...plain, 'if-none-match': tag }));
  for (const coding of ['identity', 'gzip', 'br']) {
    const { body } = await request(list, { headers: { ...authorization, 'accept-encoding': coding } });
    console.log(`list, ${coding}: ${(await body.arrayBuffer()).byteLength} bytes`);
  }
  const pictures = products.map(({ sampleImageUrl }) => sampleImageUrl);
  await cost(stack, 'picture that is drawn', requests, (n) => asked(pictures[n % pictures.length]!, 200));
  await cost(stack, 'favorite', Math.ceil(requests / 4), async (n) => {
    await fan.favor(products[n % products.length]!.id);
    if (n + 1 >= requests / 4) await quiet();
  });
  const others = pictures.flatMap((url) => ['323x323', '1024x1024'].map((size) => url.replace('500x500', size)));
  await cost(stack, 'picture that is not drawn', others.length, (n) => asked(others[n]!, 200));
}

interface Plan {
  readonly requests: number;
  readonly materials: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '2000' },
      materials: { type: 'string', default: '20' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const plan = { requests: numberOf('requests', values.requests), materials: numberOf('materials', values.materials) };
  const stack = await startBenchStack();
  const clients = await openQueueClients({ app: 'operator', redisUrl: stack.requestsUrl, services: ['accounts'] });
  const owner = new pg.Client(stack.databaseUrl);
  await owner.connect();
  try {
    const { apiKey } = await clients.of('accounts').call('users.create', {
      name: 'fan',
      email: 'fan@example.com',
      password: 'a long password',
      displayName: null,
    });
    await measure(stack, owner, plan, new Storefront(stack.localUrl, apiKey));
  } finally {
    await owner.end();
    await clients.close();
    await stack.stop();
  }
}

await main();
