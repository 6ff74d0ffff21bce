import { openQueueClients } from '#request-queue';
import { type BenchStack, startBenchStack } from '../bench-stack.js';
import { type Call, callsOf } from './calls.js';
import { seed, type Seeded } from './seed.js';
import { memoryOf, ourSide, type Side } from './sides.js';

interface ShopPlan {
  readonly products: number;
  /** Disables the response caches of all processes. */
  readonly isCold?: boolean;
  /** Environment variables of all apps. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** A stack with products, and a caller. */
export interface BenchShop {
  readonly stack: BenchStack;
  readonly ours: Side;
  readonly caller: { readonly id: number; readonly token: string };
  readonly seeded: Seeded;
  readonly calls: readonly Call[];
  /** Startup time of the stack. */
  readonly readyMs: number;
  /** Memory of each component in MB, without products. */
  readonly idle: Readonly<Record<string, number>>;
}

const items = 40;
const users = 5_000;

/** Starts a stack without rendering workers, seeds it, runs `measure`, and stops it. */
export async function withBenchShop<Found>(
  plan: ShopPlan,
  measure: (shop: BenchShop) => Promise<Found>,
): Promise<Found> {
  const { products, isCold = false, environment } = plan;
  const cache = isCold && { RESPONSE_CACHE_MB: '0' };
  const since = performance.now();
  const stack = await startBenchStack({ RENDERING_ROLES: 'requests', ...cache, ...environment });
  const readyMs = performance.now() - since;
  try {
    const ours = ourSide(stack);
    const idle = await memoryOf(ours);
    const caller = await makeCaller(stack);
    const seeded = await fill(stack, products, caller.id);
    const calls = await callsOf(seeded, products);
    return await measure({ stack, ours, caller, seeded, calls, readyMs, idle });
  } finally {
    await stack.stop();
  }
}

async function makeCaller({ requestsUrl }: BenchStack): Promise<BenchShop['caller']> {
  const clients = await openQueueClients({ app: 'operator', redisUrl: requestsUrl, services: ['accounts'] });
  try {
    const caller = { name: 'caller', email: 'caller@example.com', displayName: null, password: 'a long password' };
    const { id, apiKey } = await clients.of('accounts').call('users.create', caller);
    return { id, token: apiKey };
  } finally {
    await clients.close();
  }
}

async function fill({ databaseUrl }: BenchStack, products: number, creator: number): Promise<Seeded> {
  const since = performance.now();
  const seeded = await seed(databaseUrl, { products, users, items, creators: [creator] });
  const seconds = Math.round((performance.now() - since) / 1_000);
  process.stdout.write(`filled with ${products.toLocaleString('en')} products in ${seconds} s\n`);
  return seeded;
}
