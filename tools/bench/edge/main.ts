import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { projectPath } from '#config';
import type { Call } from '../calls/calls.js';
import { measure, type Measurement, mediansOf } from '../calls/measure.js';
import { withBenchShop } from '../calls/shop.js';
import type { Side } from '../calls/sides.js';
import { numberOf } from '../number-of.js';
import { startGenerator } from '../overload/generator.js';
import type { ConstantOrder, ConstantPorts } from './constant.js';

const help = `Usage: npm run bench:edge -- [--callers 16] [--rounds 5] [--seconds 2]

Measures the cost of the gateway process per request, without the services, against a plain Fastify and a plain node:http
that send the same bytes. Rounds of all three alternate. All requests are the same, so that the gateway has the response
cached.`;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const selected = ['one', 'list', 'materials', 'items'];
const warmSeconds = 1;
const products = 2_000;

interface Options {
  readonly callers: number;
  readonly rounds: number;
  readonly seconds: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      callers: { type: 'string', default: '16' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(help);
    return;
  }
  const options = {
    callers: numberOf('callers', values.callers),
    rounds: numberOf('rounds', values.rounds),
    seconds: numberOf('seconds', values.seconds),
  };
  await withBenchShop({ products }, async ({ ours, calls, caller }) => {
    print('| call | KB | gateway | Fastify | node:http | gateway / Fastify |\n| --- | --: | --: | --: | --: | --: |');
    for (const call of calls) if (selected.includes(call.name)) print(await lineOf(ours, call, caller.token, options));
  });
}

/** Measures a call. Returns a row of the table: CPU time of each side in microseconds. */
async function lineOf(ours: Side, call: Call, token: string, { callers, rounds, seconds }: Options): Promise<string> {
  const [request] = call.requests;
  const response = await fetch(`${ours.origin}/api/v1${request!.path}`, {
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${request!.path}: ${response.status} ${body}`);
  const constant = fork(projectPath('dist/tools/bench/edge/constant.js'), { stdio: 'inherit' });
  constant.send({ body } satisfies ConstantOrder);
  const [ports] = (await once(constant, 'message')) as [ConstantPorts];
  const sideAt = (port: number): Side => ({
    name: 'floor',
    origin: `http://127.0.0.1:${port}`,
    parts: () => Promise.resolve(new Map([['server', [constant.pid!]]])),
  });
  const gateway: Side = {
    ...ours,
    parts: async () => new Map([...(await ours.parts())].filter(([part]) => part === 'gateway')),
  };
  const sides = [gateway, sideAt(ports.fastify), sideAt(ports.http)];
  const generators = sides.map(({ origin }) => startGenerator(origin));
  const taken = sides.map((): Measurement[] => []);
  // The gateway also gets the same request each time
  const round = { call: { ...call, requests: [request!] }, concurrency: callers, token };
  for (const [at, side] of sides.entries()) await measure(side, generators[at]!, { ...round, seconds: warmSeconds });
  for (let n = 0; n < rounds; n++)
    for (const [at, side] of sides.entries())
      taken[at]!.push(await measure(side, generators[at]!, { ...round, seconds }));
  for (const generator of generators) generator.end();
  constant.disconnect();
  const cpu = taken.map((each) => mediansOf(each).totalCpu);
  const figures = [...cpu.map((micros) => Math.round(micros)), (cpu[0]! / cpu[1]!).toFixed(1)];
  return `| ${call.name} | ${(Buffer.byteLength(body) / 1024).toFixed(1)} | ${figures.join(' | ')} |`;
}

await main();
