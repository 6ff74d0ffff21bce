import type { Fault } from './fault.js';
import { runFault, type Run } from './run-fault.js';
import { serverFaults } from './server-faults.js';
import { startWorld, type World } from './world.js';

/** The short form of `npm run test:faults`: each once, under a load that a slow machine bears as well. */
const faults: readonly Fault[] = [
  {
    name: 'one replica of every app killed',
    alsoEnds: ['no answer', 'not connected'],
    strike: async ({ processes }) => {
      const first = processes.filter(({ name }) => name.endsWith('#1'));
      await Promise.all(first.map((process) => process.end('SIGKILL')));
    },
  },
  ...serverFaults.filter(({ name }) => name === 'requests Redis killed, back empty'),
];

describe('two replicas of every app under load', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld({ rate: 10, seed: 1 });
  }, 180_000);
  afterAll(() => world.stop(), 60_000);

  it.each(faults)(
    'lose nothing and do nothing twice: $name',
    async (fault) => {
      const { lost, duplicated, wrong, acknowledgedWrites } = await runFault(world, fault);
      expect({ lost, duplicated, wrong } satisfies Partial<Run>).toEqual({ lost: [], duplicated: [], wrong: [] });
      expect(acknowledgedWrites).toBeGreaterThan(0);
    },
    300_000,
  );
});
