import { endpointFaults } from './endpoint-faults.js';
import type { Fault } from './fault.js';
import { runFault, type FaultRun } from './run-fault.js';
import { serverFaults } from './server-faults.js';
import { startFaultContext, type FaultContext } from './fault-context.js';

/**
 * Three faults, each injected once, at a rate that a slow machine can serve. `npm run test:faults`
 * injects all faults several times.
 */
const faults: readonly Fault[] = [
  {
    name: 'one replica of every app killed',
    allowedOutcomes: ['no response', 'not connected'],
    inject: async ({ processes }) => {
      const first = processes.filter(({ name }) => name.endsWith('#1'));
      await Promise.all(first.map((process) => process.end('SIGKILL')));
    },
  },
  ...serverFaults.filter(({ name }) => name === 'requests Redis killed, back empty'),
  ...endpointFaults.filter(({ name }) => name === 'webhook endpoints lying'),
];

describe('two replicas of every app under load', () => {
  let context: FaultContext;

  beforeAll(async () => {
    context = await startFaultContext({ rate: 10, seed: 1 });
  }, 180_000);
  afterAll(() => context.stop(), 60_000);

  it.each(faults)(
    'lose and duplicate nothing: $name',
    async (fault) => {
      const { lost, duplicated, wrong, acknowledgedWrites, events } = await runFault(context, fault);
      expect({ lost, duplicated, wrong } satisfies Partial<FaultRun>).toEqual({ lost: [], duplicated: [], wrong: [] });
      expect(Math.min(acknowledgedWrites, events)).toBeGreaterThan(0);
    },
    300_000,
  );
});
