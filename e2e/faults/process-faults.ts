import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, FleetProcess } from '../fleet/fleet.js';
import { groups } from '../fleet/groups.js';
import type { Ending } from '../load/load.js';
import type { Fault } from './fault.js';

const frozenMs = 5_000;

/** What a client sees of a gateway that is gone at once, and of one that takes its leave. */
const broken: readonly Ending[] = ['no answer', 'not connected'];
const refused: readonly Ending[] = ['not connected'];

const ofGroup = ({ processes }: Fleet, group: string): FleetProcess[] =>
  processes.filter((process) => process.group === group);

async function terminate(process: FleetProcess): Promise<void> {
  const end = await process.end('SIGTERM');
  if (end !== 0) throw new Error(`${process.name} ended with ${end} after SIGTERM`);
}

async function freeze(process: FleetProcess): Promise<void> {
  process.freeze();
  await sleep(frozenMs);
  process.thaw();
}

/** What can happen to the processes of one group. */
const faultsOf = (group: string): readonly Fault[] => {
  const fault = (
    name: string,
    strike: (processes: FleetProcess[]) => Promise<unknown>,
    ofGateways: readonly Ending[],
  ): Fault => ({
    name,
    alsoEnds: group === 'gateway' ? ofGateways : [],
    strike: async (fleet) => {
      await strike(ofGroup(fleet, group));
    },
  });
  return [
    fault(`one of ${group} killed`, ([first]) => first!.end('SIGKILL'), broken),
    fault(`all of ${group} killed`, (all) => Promise.all(all.map((process) => process.end('SIGKILL'))), broken),
    fault(`one of ${group} ended by SIGTERM`, ([first]) => terminate(first!), refused),
    fault(`one of ${group} frozen for 5 s`, ([first]) => freeze(first!), []),
  ];
};

/** One replica of every app at once, then the next one, as when a new version comes. */
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

/** What can happen to the processes of the apps. */
export const processFaults: readonly Fault[] = [
  ...groups.flatMap(({ name }) => faultsOf(name)),
  { name: 'rolling restart of all', alsoEnds: refused, strike: rollingRestart },
];
