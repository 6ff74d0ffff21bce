import { startFleet, replicasOfEach } from '../fleet/start-fleet.js';
import { createUsers } from '../fleet/users.js';
import { startLoad } from '../load/start-load.js';
import type { FaultTarget } from './run-fault.js';

export interface FaultContextOptions {
  /** Requests per second. */
  readonly rate: number;
  readonly seed: number;
  readonly blobFolder?: string;
  readonly logFile?: string;
}

export interface FaultContext extends FaultTarget {
  /** Stops the load and then the fleet. @throws Error if the logs of the fleet contain a secret */
  stop(): Promise<void>;
}

const userCount = 5;

/** Starts two replicas of every app, servers behind proxies for network faults, and a load. */
export async function startFaultContext({ rate, seed, ...options }: FaultContextOptions): Promise<FaultContext> {
  const fleet = await startFleet({ replicas: replicasOfEach(2), proxied: true, ...options });
  try {
    const load = await startLoad({ baseUrls: fleet.baseUrls, users: await createUsers(fleet, userCount), rate, seed });
    return {
      fleet,
      load,
      stop: async () => {
        await load.stop();
        await fleet.stop();
      },
    };
  } catch (error) {
    await fleet.stop();
    throw error;
  }
}
