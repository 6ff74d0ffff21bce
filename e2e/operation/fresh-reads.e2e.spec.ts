import { setTimeout as sleep } from 'node:timers/promises';
import { Scrape } from '#testing';
import { type Fleet } from '../fleet/fleet.js';
import { replicasOfEach, startFleet } from '../fleet/start-fleet.js';
import { createUsers, type FleetUser } from '../fleet/users.js';
import { Random } from '../load/random.js';
import { artwork } from '../support/artwork.js';

// Two gateways cache replies, which two catalogs validate by one message for all requests that
// wait. A read must return every write whose response arrived before it

const reads = Number(process.env.READS ?? 10_000);
const readers = 16;
const materials = 4;

interface Written {
  readonly materialId: number;
  readonly productId: number;
  /** Number of the last write with a response. The title contains it. */
  done: number;
  /** Number of the last write that was sent. */
  sent: number;
}

let fleet: Fleet;
let creator: FleetUser;
let visitor: FleetUser;
let itemId: number;

beforeAll(async () => {
  fleet = await startFleet({ replicas: { ...replicasOfEach(1), gateway: 2, catalog: 2 } });
  [creator, visitor] = (await createUsers(fleet, 2)) as [FleetUser, FleetUser];
  const { body } = await request(0, creator, 'GET', '/items');
  itemId = body.items.find(({ name }: { name: string }) => name === 'mug').id;
});
afterAll(() => fleet.stop());

async function request(gateway: number, { apiKey }: FleetUser, method: string, path: string, json?: object) {
  const response = await fetch(`${fleet.baseUrls[gateway]}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });
  // Any type: the checks below fail for other shapes
  return { status: response.status, body: (await response.json()) as any };
}

/** Every fifth write hides the product from other users. */
const isPublished = (write: number): boolean => write % 5 !== 4;

const titleOf = (write: number): string => `Beacon ${creator.id} ${write}`;

async function create(texture: string): Promise<Written> {
  const products = [{ itemId, published: true }];
  const { body } = await request(0, creator, 'POST', '/materials', { texture, title: titleOf(0), products });
  return { materialId: body.material.id, productId: body.products[0].id, done: 0, sent: 0 };
}

async function write(it: Written, random: Random): Promise<void> {
  it.sent += 1;
  const products = [{ itemId, published: isPublished(it.sent) }];
  const change = { title: titleOf(it.sent), products };
  const { status } = await request(random.below(2), creator, 'PUT', `/materials/${it.materialId}`, change);
  if (status !== 200) throw new Error(`a write failed: ${status}`);
  it.done = it.sent;
}

/** Reads a product. Returns the title, or undefined where the product is hidden. */
async function read(it: Written, random: Random, user: FleetUser): Promise<string | undefined> {
  const gateway = random.below(2);
  const path = random.of([
    `/products/${it.productId}`,
    `/products?userId=${creator.id}`,
    `/products?limit=50`,
    `/products?materialId=${it.materialId}&userId=${creator.id}`,
  ])!;
  const { status, body } = await request(gateway, user, 'GET', path);
  if (status !== 200 && status !== 404) throw new Error(`${path}: ${status}`);
  return [body.products ?? []].flat().find(({ id }) => id === it.productId)?.material.title;
}

/** Returns why a response contradicts the writes before and during the read, if it does. */
function contradiction(title: string | undefined, [first, last]: [number, number], isCreator: boolean) {
  const possible = Array.from({ length: last - first + 1 }, (_, n) => first + n).map((at) =>
    isCreator || isPublished(at) ? titleOf(at) : undefined,
  );
  return possible.includes(title) ? undefined : `${title} instead of write ${first} to ${last}`;
}

/** Returns how many responses the gateways have sent from their caches. */
async function cachedResponses(): Promise<number> {
  const scrapes = await Promise.all(fleet.internalUrls.map((url) => Scrape.of(url)));
  const labels = { cache: 'gateway-responses', outcome: 'hit' };
  return scrapes.reduce((sum, scrape) => sum + (scrape.sum('cache_lookups_total', labels) ?? 0), 0);
}

it(
  `${reads} reads return every write that was acknowledged before them`,
  async () => {
    const texture = await artwork(64, 64);
    const all: Written[] = [];
    for (let n = 0; n < materials; n++) all.push(await create(texture));
    const problems: string[] = [];
    let left = reads;
    const writing = all.map(async (it, seed) => {
      const random = new Random(seed);
      while (left > 0) {
        await write(it, random);
        await sleep(random.below(150));
      }
    });
    const reading = Array.from({ length: readers }, async (_, reader) => {
      const random = new Random(100 + reader);
      const user = reader % 4 === 0 ? creator : visitor;
      while (left-- > 0) {
        const it = random.of(all)!;
        const first = it.done;
        const title = await read(it, random, user);
        const problem = contradiction(title, [first, it.sent], user === creator);
        if (problem) problems.push(problem);
        if (random.below(4) === 0) await sleep(random.below(10));
      }
    });
    await Promise.all([...reading, ...writing]);
    expect(problems).toEqual([]);
    for (const { done } of all) expect(done).toBeGreaterThan(20);
    // Otherwise the test would not have tested what it is for
    expect(await cachedResponses()).toBeGreaterThan(reads / 20);
  },
  60 * reads,
);
