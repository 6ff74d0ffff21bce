import { startFleet, ofEach } from '../fleet/start-fleet.js';
import { makeUsers } from '../fleet/users.js';
import { startLoad } from '../load/start-load.js';
import type { Struck } from './run-fault.js';

export interface WorldOptions {
  /** Requests a second. */
  readonly rate: number;
  readonly seed: number;
  readonly blobFolder?: string;
  readonly logFile?: string;
}

export interface World extends Struck {
  /** @throws Error when a secret of the fleet stands in what was logged */
  stop(): Promise<void>;
}

const users = 5;

/** Two replicas of every app, a network that can be disturbed, and a load that has begun. */
export async function startWorld({ rate, seed, ...options }: WorldOptions): Promise<World> {
  const fleet = await startFleet({ replicas: ofEach(2), proxied: true, ...options });
  try {
    const load = await startLoad({ baseUrls: fleet.baseUrls, users: await makeUsers(fleet, users), rate, seed });
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
