import type { Figures } from './figures.js';
import { type OverloadResult, shortfalls } from './shortfalls.js';
import type { StepResult } from './step.js';

const figures: Figures = {
  offered: 5,
  served: 5,
  rejected: 0,
  other: 0,
  unsent: 0,
  servedP50: 8,
  servedP99: 20,
  rejectedP50: 0,
  rejectedP99: 0,
  generatorCpus: 0.1,
};
const half: StepResult = {
  ...figures,
  factor: 0.5,
  offered: 200,
  served: 200,
  recoveryMs: 0,
  memory: { gateway: 200 },
  ready: '9/9',
  load: 2,
};
const tenfold: StepResult = {
  ...half,
  factor: 10,
  offered: 4_000,
  served: 321,
  rejected: 3_600,
  rejectedP99: 99,
  recoveryMs: 4_900,
  memory: { gateway: 299 },
};
const measured = (step: Partial<StepResult> = {}, withHeavyUser: Partial<Figures> = {}): OverloadResult => ({
  capacity: 400,
  afterwards: 400,
  steps: [half, { ...tenfold, ...step }],
  normal: { alone: figures, withHeavyUser: { ...figures, ...withHeavyUser }, withImages: figures },
});

it('reports nothing if all limits are met', () => {
  expect(shortfalls(measured())).toEqual([]);
});

it.each<[string, Partial<StepResult>]>([
  ['10 x: served 319 of 320 a second', { served: 319 }],
  ['10 x: p99 of a rejection 101 ms, more than 100', { rejectedP99: 101 }],
  ['10 x: recovered only after 5100 ms', { recoveryMs: 5_100 }],
  ['10 x: recovered only after Infinity ms', { recoveryMs: Infinity }],
  ['10 x: gateway uses 301 MB, 200 at the start', { memory: { gateway: 301 } }],
])('reports: %s', (sentence, step) => {
  expect(shortfalls(measured(step))).toEqual([sentence]);
});

it.each<[string, Partial<Figures>]>([
  ['0.5 of 5 a second were not served', { rejected: 0.5 }],
  ['0.5 of 5 a second were not served', { other: 0.5 }],
  ['p99 2001 ms', { servedP99: 2_001 }],
])('reports for a normal user: %s', (sentence, withHeavyUser) => {
  expect(shortfalls(measured({}, withHeavyUser))).toEqual([`normal user withHeavyUser: ${sentence}`]);
});
