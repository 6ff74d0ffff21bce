import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openQueueClients } from '#request-queue';
import { lineChart } from '../plot/line-chart.js';
import { type BenchStack, startBenchStack } from '../bench-stack.js';
import { numberOf } from '../number-of.js';
import { pinGateway } from './pin-gateway.js';
import { type Figures, figuresOf } from './figures.js';
import { type Generator, startGenerator } from './generator.js';
import { createShop, type LoadShop, typicalMix, unrenderedImages } from './mix.js';
import type { LoadResult } from './send-load.js';
import { type OverloadResult, shortfalls, shortfallsOfVisitors } from './shortfalls.js';
import { measureWithSlowTextures, startSlowServers } from './slow-textures.js';
import { type StepResult, measureStep } from './step.js';

const help = `Usage: npm run bench:overload -- [--seconds 10] [--users 100] [--slots N] [--pool N] [--apart]
                                  [--out FILE] | --slow-textures

Measures the capacity of a stack for a typical mix of requests, then offers 0.5, 1, 2, 5 and 10 times that rate, each time
followed by half of the capacity. Then measures a normal user beside one who sends 10 times the capacity, and beside many
images to render. --out writes FILE.json and FILE.svg. Exits with 1 when less than 80 % of the capacity was served,
rejections took longer than 100 ms (p99), memory grew, the service did not recover within 5 s, or the normal user was not
served (p99 within 2 s).

Responses are not cached: with caches the limit would be the processor of the gateway, which rejections need, too.

--slots and --pool reduce each service, so that the processors, which the generator also uses, are not the limit.
--apart reserves a processor for the gateway (Linux), as a cluster may; services, servers and the generator share the
others.
--slow-textures measures visitors only, with two processes of material-rendering and one of catalog, beside 100 callers that
create materials from images of servers that respond after 4.5 s.`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const ms = (milliseconds: number): string => `${Math.round(milliseconds)} ms`;
const factors = [0.5, 1, 2, 5, 10];
/** Number of concurrent callers that saturates the stack with short waits. */
const callersAtCapacity = 48;
/** Requests per second of a user with normal usage. */
const normalRate = 5;
/** Unrendered images requested per second: 1.5 to 6 s of rendering, at 10 to 40 ms each. */
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
    print(help);
    return;
  }
  const seconds = numberOf('seconds', values.seconds);
  const slow = await startSlowServers();
  const stack = await startBenchStack({
    RENDERING_ROLES: 'requests',
    RESPONSE_CACHE_MB: '0',
    TEXTURE_ALLOWED_HOSTS: slow.hosts.join(','),
    ...(values.slots !== undefined && { REQUEST_SLOTS: values.slots }),
    ...(values.pool !== undefined && { DATABASE_POOL_SIZE: values.pool }),
  });
  const clients = await openQueueClients({ app: 'operator', redisUrl: stack.requestsUrl, services: ['accounts'] });
  const [generator, other] = [startGenerator(stack.localUrl), startGenerator(stack.localUrl)];
  try {
    if (values.apart) await pinGateway(await stack.processes());
    const shop = await createShop(stack.localUrl, clients, numberOf('users', values.users));
    if (values['slow-textures']) {
      const context = { stack, shop, creators: generator, visitors: other, seconds, hosts: slow.hosts };
      const { materials, visitors } = await measureWithSlowTextures(context);
      print(`new materials: ${lineOf(materials)}\nvisitors: ${lineOf(visitors)}`);
      printShortfalls(shortfallsOfVisitors({ 'beside slow textures': visitors }));
    } else await finish(await measure({ stack, shop, generator, other, seconds }), values.out);
  } finally {
    generator.end();
    other.end();
    await clients.close();
    await stack.stop();
    slow.stop();
  }
}

interface LoadContext {
  readonly stack: BenchStack;
  readonly shop: LoadShop;
  readonly generator: Generator;
  /** Generator of the normal user, in parallel with the first one. */
  readonly other: Generator;
  readonly seconds: number;
}

async function measure(context: LoadContext): Promise<OverloadResult> {
  // The first run is a warm-up
  await measureCapacity(context);
  const capacity = await measureCapacity(context);
  const steps = await measureSteps(capacity, context);
  const normal = await measureNormalUser(capacity, context);
  return { capacity, afterwards: await measureCapacity(context), steps, normal };
}

/** Measures the capacity: requests served per second with enough callers to saturate the stack. */
async function measureCapacity({ generator, shop, seconds }: LoadContext): Promise<number> {
  const phases = [{ seconds, pace: { callers: callersAtCapacity } }];
  const { served, servedP99 } = figuresOf(await generator.run(typicalMix(shop), phases), 0, seconds * 1_000);
  print(`capacity: ${Math.round(served)} requests per second, ${callersAtCapacity} callers, p99 ${ms(servedP99)}`);
  return served;
}

async function measureSteps(capacity: number, { stack, generator, shop, seconds }: LoadContext): Promise<StepResult[]> {
  const requests = typicalMix(shop);
  const steps: StepResult[] = [];
  for (const factor of factors) {
    const phases = [factor, 0.5].map((it) => ({ seconds, pace: { rate: it * capacity } }));
    const usualMs = steps[0]?.servedP99 ?? 0;
    steps.push(await measureStep(stack, { factor, seconds, usualMs }, () => generator.run(requests, phases)));
    print(line(steps.at(-1)!));
  }
  return steps;
}

/**
 * Measures a user with normal usage: alone, with another user at a multiple of the capacity, and
 * with many image requests.
 */
async function measureNormalUser(
  capacity: number,
  { shop, generator, other, seconds }: LoadContext,
): Promise<OverloadResult['normal']> {
  const [loud, normal] = shop.tokens.map((token) => typicalMix({ ...shop, tokens: [token] }));
  const normally = async (name: string): Promise<Figures> => {
    const result = await other.run(normal!, [{ seconds, pace: { rate: normalRate } }]);
    const figures = figuresOf(result, 0, seconds * 1_000);
    print(`normal user ${name}: ${lineOf(figures)}`);
    return figures;
  };
  /** Load from a second before the normal user until a second after. */
  const beside = (requests: readonly string[], rate: number): Promise<LoadResult> =>
    generator.run(requests, [{ seconds: seconds + 2, pace: { rate } }]);
  await sleep(2_000);
  const alone = await normally('alone');
  const flood = beside(loud!, 10 * capacity);
  await sleep(1_000);
  const withHeavyUser = await normally('beside a loud one');
  await flood;
  await sleep(2_000);
  const drawn = beside(unrenderedImages(shop), imagesRate);
  await sleep(1_000);
  const withImages = await normally('beside images to be drawn');
  print(`these images: ${lineOf(figuresOf(await drawn, 0, (seconds + 2) * 1_000))}`);
  await sleep(2_000);
  return { alone, withHeavyUser, withImages };
}

function lineOf(figures: Figures): string {
  const rates = (['offered', 'served', 'rejected', 'other', 'unsent'] as const).map(
    (it) => `${it} ${Math.round(figures[it])}`,
  );
  const { servedP50, servedP99, rejectedP50, rejectedP99 } = figures;
  return `${rates.join(', ')}; served p50 ${ms(servedP50)} p99 ${ms(servedP99)}, rejected p50 ${ms(rejectedP50)} p99 ${ms(rejectedP99)}`;
}

function line({ factor, recoveryMs, ready, load, memory, generatorCpus, ...figures }: StepResult): string {
  const sizes = Object.entries(memory).map(([name, megabytes]) => `${name} ${megabytes}`);
  const facts = `as usual after ${ms(recoveryMs)}, ready ${ready}, generator ${generatorCpus.toFixed(2)} processors, load ${load.toFixed(1)}`;
  return `${factor} x: ${lineOf({ ...figures, generatorCpus })}; ${facts}; MB: ${sizes.join(', ')}`;
}

async function finish(measured: OverloadResult, path: string | undefined): Promise<void> {
  printShortfalls(shortfalls(measured));
  if (path !== undefined) await write(path, measured);
}

function printShortfalls(found: readonly string[]): void {
  print(found.length === 0 ? 'All limits were met.' : `NOT MET:\n${found.join('\n')}`);
  if (found.length > 0) process.exitCode = 1;
}

async function write(path: string, measured: OverloadResult): Promise<void> {
  const points = (of: (step: StepResult) => number) => measured.steps.map((step) => [step.offered, of(step)] as const);
  const svg = lineChart({
    title: `Offered against served; capacity ${Math.round(measured.capacity)} requests a second`,
    x: 'offered (requests a second)',
    y: 'responses (per second)',
    right: 'p99 (ms)',
    series: [
      { name: 'served', points: points(({ served }) => served) },
      { name: 'rejected', points: points(({ rejected }) => rejected) },
      { name: 'p99 of served', points: points(({ servedP99 }) => servedP99), isOnRight: true },
      { name: 'p99 of rejected', points: points(({ rejectedP99 }) => rejectedP99), isOnRight: true },
    ],
  });
  await writeFile(`${path}.json`, JSON.stringify(measured, null, 1));
  await writeFile(`${path}.svg`, svg);
}

await main();
