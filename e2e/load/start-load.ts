import { Client } from './client.js';
import { selectGoods } from './goods.js';
import { LoadLedger } from './ledger.js';
import type { Load, LoadOptions } from './load.js';
import { Pace } from './pace.js';
import { Random } from './random.js';
import { Reads } from './reads.js';
import { Sender } from './sender.js';
import { Stage } from './stage.js';
import { Tallies } from './tallies.js';
import { Writes } from './writes.js';

/** Shares of writes in all requests; the rest are reads. */
const shares = { createOrDelete: 0.1, retitle: 0.06, redraw: 0.05, placeFavorite: 0.16 } as const;

/**
 * Starts the load. The number of its resources stays constant once each user has enough: then one
 * is deleted for each new one.
 *
 * @throws Error if the catalog cannot be read
 */
export async function startLoad({ baseUrls, users, rate, seed }: LoadOptions): Promise<Load> {
  const client = new Client(baseUrls);
  const tallies = new Tallies();
  const sender = new Sender(client, tallies);
  const ledger = new LoadLedger(users, () => tallies.acknowledged());
  const random = new Random(seed);
  const stage = new Stage(random);
  const { response: items } = await sender.write({ method: 'GET', path: '/api/v1/items', apiKey: users[0]!.apiKey });
  const goods = await selectGoods(items, seed);
  const writes = new Writes({ sender, ledger, stage, users, goods, random, seed });
  const reads = new Reads({ sender, ledger, stage, users, itemIds: goods.itemIds, random });
  const next = (): Promise<void> => {
    let share = random.next();
    for (const [kind, its] of Object.entries(shares) as [keyof typeof shares, number][])
      if ((share -= its) < 0) return writes[kind]() ?? reads.any();
    return reads.any();
  };
  // Thrown for a response without required fields
  const objectTo = (error: unknown): void => ledger.object(`a response could not be parsed: ${String(error)}`);
  const pace = new Pace({ rate, begin: () => next().catch(objectTo), onSkipped: () => tallies.skip() });
  tallies.lap();
  pace.start();
  return {
    ledger,
    lap: () => tallies.lap(),
    firstSuccess: (which = () => true) => tallies.firstSuccess(which),
    rest: () => pace.stop(),
    resume: () => pace.start(),
    stop: async () => {
      sender.stop();
      await pace.stop();
      await client.close();
    },
  };
}
