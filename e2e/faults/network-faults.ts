import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, FleetServer, Network } from '../fleet/fleet.js';
import type { Fault } from './fault.js';

/** There and back takes 200 ms, and one chunk in fifty another second, as after a lost packet. */
const slow = { delayMs: 100, stalled: 0.02 };
const slowForMs = 4_000;

const names = { postgres: 'PostgreSQL', requests: 'requests Redis', jobs: 'jobs Redis' } as const satisfies Record<
  FleetServer['name'],
  string
>;

/** @throws Error in a fleet that was started without `proxied` */
function networkOf({ servers }: Fleet, server: FleetServer['name']): Network {
  const { network } = servers[server];
  if (!network) throw new Error('The fleet has no network to disturb; start it with `proxied`.');
  return network;
}

/** What can happen on the way from the apps to one server. */
const faultsBefore = (server: FleetServer['name']): readonly Fault[] => {
  const fault = (what: string, strike: (network: Network) => void | Promise<void>): Fault => ({
    name: `network to ${names[server]} ${what}`,
    strike: async (fleet) => strike(networkOf(fleet, server)),
  });
  return [
    fault('slow and lossy', async (network) => {
      network.disturb(slow);
      await sleep(slowForMs);
      network.heal();
    }),
    // Never healed: nothing tells the apps that these connections are dead. New ones work
    fault('half-open', (network) => network.swallow()),
    fault('half-open for answers', (network) => network.swallowAnswers()),
    fault('cut', (network) => network.cut()),
  ];
};

/** What can happen between the apps and their servers. */
export const networkFaults: readonly Fault[] = [
  ...faultsBefore('requests'),
  ...faultsBefore('jobs'),
  ...faultsBefore('postgres'),
];
