import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openQueueClients } from '#request-queue';
import { lineChart } from '../plot/line-chart.js';
import { type BenchStack, startBenchStack } from '../bench-stack.js';
import { numberOf } from '../number-of.js';
import { setGatewayApart } from './apart.js';
import { type Figures, figuresOf } from './figures.js';
import { type Generator, startGenerator } from './generator.js';
import { furnish, type Shop, typicalMix, undrawnImages } from './mix.js';
import type { Asked } from './offer.js';
import { type Measured, shortfalls, shortfallsOfVisitors } from './shortfalls.js';
import { besideSlowTextures, startSlowServers } from './slow-textures.js';
import { type Facts, stepOf } from './step.js';

const help = `Usage: npm run bench:overload -- [--seconds 10] [--users 100] [--slots N] [--pool N] [--apart]
                                  [--out FILE] | --slow-textures

Finds how many requests of a typical mix a whole stack serves, then offers 0.5, 1, 2, 5 and 10 times as many, each time
followed by half of them; then looks at a quiet user beside one who asks for 10 times the capacity alone, and beside many
images that are to be drawn. Writes FILE.json and FILE.svg. Ends with 1 when less than 80 % of the capacity was served,
refusals took longer than 100 ms (p99), memory grew, the service was not as usual within 5 s, or the quiet user was not
served (p99 within 2 s).

--slots and --pool make each service smaller, so that not the processors, which the generator needs too, are the limit.
--apart gives the gateway a processor of its own (Linux), as in a cluster that guarantees it one; services, servers and
the generator have the others.
--slow-textures measures visitors only, with two processes of material-rendering and one of catalog, beside 100 callers that
make materials of images from servers that take 4.5 s.`;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const ms = (milliseconds: number): string => `${Math.round(milliseconds)} ms`;
const factors = [0.5, 1, 2, 5, 10];
/** So many callers keep every part busy, and wait a fraction of a second. */
const callersAtCapacity = 48;
/** Requests a second of a user who does nothing unusual. */
const quietRate = 5;
/** Many times what can be drawn. */
const imagesRate = 150;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      users: { type: 'string', default: '100' },
      slots: { type: 'string' },
      pool: { type: 'string' },
      apart: { type: 'boolean', default: false },
      out: { type: 'string' },
      'slow-textures': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(help);
    return;
  }
  const seconds = numberOf('seconds', values.seconds);
  const slow = await startSlowServers();
  const stack = await startBenchStack({
    RENDERING_ROLES: 'requests',
    TEXTURE_ALLOWED_HOSTS: slow.hosts.join(','),
    ...(values.slots !== undefined && { REQUEST_SLOTS: values.slots }),
    ...(values.pool !== undefined && { DATABASE_POOL_SIZE: values.pool }),
  });
  const clients = await openQueueClients({ app: 'operator', redisUrl: stack.requestsUrl, services: ['accounts'] });
  const [generator, other] = [startGenerator(stack.localUrl), startGenerator(stack.localUrl)];
  try {
    if (values.apart) await setGatewayApart(await stack.processes());
    const shop = await furnish(stack.localUrl, clients, numberOf('users', values.users));
    if (values['slow-textures']) {
      const means = { stack, shop, creators: generator, visitors: other, seconds, hosts: slow.hosts };
      const { materials, visitors } = await besideSlowTextures(means);
      say(`new materials: ${lineOf(materials)}\nvisitors: ${lineOf(visitors)}`);
      conclude(shortfallsOfVisitors({ 'beside slow textures': visitors }));
    } else await finish(await measure({ stack, shop, generator, other, seconds }), values.out);
  } finally {
    generator.end();
    other.end();
    await clients.close();
    await stack.stop();
    slow.stop();
  }
}

interface Means {
  readonly stack: BenchStack;
  readonly shop: Shop;
  readonly generator: Generator;
  /** For the quiet user beside what the first one asks. */
  readonly other: Generator;
  readonly seconds: number;
}

async function measure(means: Means): Promise<Measured> {
  // Twice, and the second one counts: programs are slow at first
  await capacityOf(means);
  const capacity = await capacityOf(means);
  const steps = await stepsFrom(capacity, means);
  const quiet = await quietUser(capacity, means);
  return { capacity, afterwards: await capacityOf(means), steps, quiet };
}

/** Requests a second that are served. */
async function capacityOf({ generator, shop, seconds }: Means): Promise<number> {
  const legs = [{ seconds, pace: { callers: callersAtCapacity } }];
  const { served, servedP99 } = figuresOf(await generator.ask(typicalMix(shop), legs), 0, seconds * 1_000);
  say(`capacity: ${Math.round(served)} requests a second, ${callersAtCapacity} callers, p99 ${ms(servedP99)}`);
  return served;
}

async function stepsFrom(capacity: number, { stack, generator, shop, seconds }: Means): Promise<Facts[]> {
  const everybody = typicalMix(shop);
  const steps: Facts[] = [];
  for (const factor of factors) {
    const legs = [factor, 0.5].map((it) => ({ seconds, pace: { rate: it * capacity } }));
    const usualMs = steps[0]?.servedP99 ?? 0;
    steps.push(await stepOf(stack, { factor, seconds, usualMs }, () => generator.ask(everybody, legs)));
    say(line(steps.at(-1)!));
  }
  return steps;
}

/** A user who does nothing unusual: alone, beside one who asks for many times the capacity, and beside many images. */
async function quietUser(capacity: number, { shop, generator, other, seconds }: Means): Promise<Measured['quiet']> {
  const [loud, quiet] = shop.tokens.map((token) => typicalMix({ ...shop, tokens: [token] }));
  const quietly = async (name: string): Promise<Figures> => {
    const asked = await other.ask(quiet!, [{ seconds, pace: { rate: quietRate } }]);
    const figures = figuresOf(asked, 0, seconds * 1_000);
    say(`a quiet user ${name}: ${lineOf(figures)}`);
    return figures;
  };
  /** Begins a second before the quiet user and ends a second behind. */
  const beside = (requests: readonly string[], rate: number): Promise<Asked> =>
    generator.ask(requests, [{ seconds: seconds + 2, pace: { rate } }]);
  await sleep(2_000);
  const alone = await quietly('alone');
  const flood = beside(loud!, 10 * capacity);
  await sleep(1_000);
  const besideLoudOne = await quietly('beside a loud one');
  await flood;
  await sleep(2_000);
  const drawn = beside(undrawnImages(shop), imagesRate);
  await sleep(1_000);
  const besideImages = await quietly('beside images to be drawn');
  say(`these images: ${lineOf(figuresOf(await drawn, 0, (seconds + 2) * 1_000))}`);
  await sleep(2_000);
  return { alone, besideLoudOne, besideImages };
}

function lineOf(figures: Figures): string {
  const rates = (['offered', 'served', 'refused', 'other', 'unsent'] as const).map(
    (it) => `${it} ${Math.round(figures[it])}`,
  );
  const { servedP50, servedP99, refusedP50, refusedP99 } = figures;
  return `${rates.join(', ')}; served p50 ${ms(servedP50)} p99 ${ms(servedP99)}, refused p50 ${ms(refusedP50)} p99 ${ms(refusedP99)}`;
}

function line({ factor, backMs, ready, load, memory, generatorCpus, ...figures }: Facts): string {
  const sizes = Object.entries(memory).map(([name, megabytes]) => `${name} ${megabytes}`);
  const facts = `as usual after ${ms(backMs)}, ready ${ready}, generator ${generatorCpus.toFixed(2)} processors, load ${load.toFixed(1)}`;
  return `${factor} x: ${lineOf({ ...figures, generatorCpus })}; ${facts}; MB: ${sizes.join(', ')}`;
}

async function finish(measured: Measured, path: string | undefined): Promise<void> {
  conclude(shortfalls(measured));
  if (path !== undefined) await write(path, measured);
}

function conclude(found: readonly string[]): void {
  say(found.length === 0 ? 'All promises were kept.' : `NOT KEPT:\n${found.join('\n')}`);
  if (found.length > 0) process.exitCode = 1;
}

async function write(path: string, measured: Measured): Promise<void> {
  const points = (of: (step: Facts) => number) => measured.steps.map((step) => [step.offered, of(step)] as const);
  const svg = lineChart({
    title: `Offered against served; capacity ${Math.round(measured.capacity)} requests a second`,
    x: 'offered (requests a second)',
    y: 'answers (a second)',
    right: 'p99 (ms)',
    series: [
      { name: 'served', points: points(({ served }) => served) },
      { name: 'refused', points: points(({ refused }) => refused) },
      { name: 'p99 of served', points: points(({ servedP99 }) => servedP99), isOnRight: true },
      { name: 'p99 of refused', points: points(({ refusedP99 }) => refusedP99), isOnRight: true },
    ],
  });
  await writeFile(`${path}.json`, JSON.stringify(measured, null, 1));
  await writeFile(`${path}.svg`, svg);
}

await main();
