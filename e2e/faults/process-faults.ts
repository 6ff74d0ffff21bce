import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, FleetProcess } from '../fleet/fleet.js';
import { groups } from '../fleet/groups.js';
import type { Outcome } from '../load/load.js';
import type { Fault } from './fault.js';

const frozenMs = 5_000;

/** Failures of requests to a killed gateway, and to one that shuts down. */
const outcomesOfKill: readonly Outcome[] = ['no response', 'not connected'];
const outcomesOfShutdown: readonly Outcome[] = ['not connected'];

const ofGroup = ({ processes }: Fleet, group: string): FleetProcess[] =>
  processes.filter((process) => process.group === group);

async function terminate(process: FleetProcess): Promise<void> {
  const end = await process.end('SIGTERM');
  if (end !== 0) throw new Error(`${process.name} exited with ${end} after SIGTERM`);
}

async function freeze(process: FleetProcess): Promise<void> {
  process.freeze();
  await sleep(frozenMs);
  process.thaw();
}

/** Returns the process faults of one group. */
const faultsOf = (group: string): readonly Fault[] => {
  const fault = (
    name: string,
    inject: (processes: FleetProcess[]) => Promise<unknown>,
    ofGateways: readonly Outcome[],
  ): Fault => ({
    name,
    allowedOutcomes: group === 'gateway' ? ofGateways : [],
    inject: async (fleet) => {
      await inject(ofGroup(fleet, group));
    },
  });
  return [
    fault(`one of ${group} killed`, ([first]) => first!.end('SIGKILL'), outcomesOfKill),
    fault(`all of ${group} killed`, (all) => Promise.all(all.map((process) => process.end('SIGKILL'))), outcomesOfKill),
    fault(`one of ${group} ended by SIGTERM`, ([first]) => terminate(first!), outcomesOfShutdown),
    fault(`one of ${group} frozen for 5 s`, ([first]) => freeze(first!), []),
  ];
};

/** Restarts the first replica of every app, then the second, as a rolling update does. */
async function rollingRestart({ processes }: Fleet): Promise<void> {
  const numberOf = ({ name }: FleetProcess) => name.split('#')[1]!;
  for (const number of new Set(processes.map(numberOf))) {
    const wave = processes.filter((process) => numberOf(process) === number);
    await Promise.all(
      wave.map(async (process) => {
        await terminate(process);
        await process.ready();
      }),
    );
  }
}

/** Faults of the processes of apps. */
export const processFaults: readonly Fault[] = [
  ...groups.flatMap(({ name }) => faultsOf(name)),
  { name: 'rolling restart of all', allowedOutcomes: outcomesOfShutdown, inject: rollingRestart },
];
