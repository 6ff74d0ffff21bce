import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, FleetServer, Network } from '../fleet/fleet.js';
import type { Fault } from './fault.js';

/** Round trip of 200 ms, and another second for one in fifty chunks, as after a lost packet. */
const slowNetwork = { delayMs: 100, stalled: 0.02 };
const slowForMs = 4_000;

const serverNames = {
  postgres: 'PostgreSQL',
  requests: 'requests Redis',
  jobs: 'jobs Redis',
} as const satisfies Record<FleetServer['name'], string>;

/** @throws Error in a fleet that was started without `proxied` */
function networkOf({ servers }: Fleet, server: FleetServer['name']): Network {
  const { network } = servers[server];
  if (!network) throw new Error('The fleet has no network to disturb; start it with `proxied`.');
  return network;
}

/** Returns the network faults between the apps and one server. */
const faultsOf = (server: FleetServer['name']): readonly Fault[] => {
  const fault = (what: string, inject: (network: Network) => void | Promise<void>): Fault => ({
    name: `network to ${serverNames[server]} ${what}`,
    inject: async (fleet) => inject(networkOf(fleet, server)),
  });
  return [
    fault('slow and lossy', async (network) => {
      network.disturb(slowNetwork);
      await sleep(slowForMs);
      network.heal();
    }),
    // The connections stay dead until the check, and apps get no sign of it. New connections work
    fault('half-open', (network) => network.blackhole()),
    fault('half-open for responses', (network) => network.dropResponses()),
    fault('cut', (network) => network.cut()),
  ];
};

/** Network faults between the apps and their servers. */
export const networkFaults: readonly Fault[] = [...faultsOf('requests'), ...faultsOf('jobs'), ...faultsOf('postgres')];
