import type { Figures } from './figures.js';
import { type Measured, shortfalls } from './shortfalls.js';
import type { Facts } from './step.js';

const figures: Figures = {
  offered: 5,
  served: 5,
  refused: 0,
  other: 0,
  unsent: 0,
  servedP50: 8,
  servedP99: 20,
  refusedP50: 0,
  refusedP99: 0,
  generatorCpus: 0.1,
};
const half: Facts = {
  ...figures,
  factor: 0.5,
  offered: 200,
  served: 200,
  backMs: 0,
  memory: { gateway: 200 },
  ready: '9/9',
  load: 2,
};
const tenfold: Facts = {
  ...half,
  factor: 10,
  offered: 4_000,
  served: 321,
  refused: 3_600,
  refusedP99: 99,
  backMs: 4_900,
  memory: { gateway: 299 },
};
const measured = (step: Partial<Facts> = {}, besideLoudOne: Partial<Figures> = {}): Measured => ({
  capacity: 400,
  afterwards: 400,
  steps: [half, { ...tenfold, ...step }],
  quiet: { alone: figures, besideLoudOne: { ...figures, ...besideLoudOne }, besideImages: figures },
});

it('finds nothing where all is kept', () => {
  expect(shortfalls(measured())).toEqual([]);
});

it.each<[string, Partial<Facts>]>([
  ['10 x: served 319 of 320 a second', { served: 319 }],
  ['10 x: p99 of a refusal 101 ms, more than 100', { refusedP99: 101 }],
  ['10 x: as usual only after 5100 ms', { backMs: 5_100 }],
  ['10 x: as usual only after Infinity ms', { backMs: Infinity }],
  ['10 x: gateway holds 301 MB, 200 at first', { memory: { gateway: 301 } }],
])('finds that %s', (sentence, step) => {
  expect(shortfalls(measured(step))).toEqual([sentence]);
});

it.each<[string, Partial<Figures>]>([
  ['0.5 of 5 a second were not served', { refused: 0.5 }],
  ['0.5 of 5 a second were not served', { other: 0.5 }],
  ['p99 2001 ms', { servedP99: 2_001 }],
])('finds that of a quiet user %s', (sentence, besideLoudOne) => {
  expect(shortfalls(measured({}, besideLoudOne))).toEqual([`a quiet user besideLoudOne: ${sentence}`]);
});
