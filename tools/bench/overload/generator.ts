import { fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';
import type { LoadResult, Leg, Order } from './offer.js';

export interface Generator {
  /** Runs a load; one at a time. */
  run(requests: readonly string[], legs: readonly Leg[]): Promise<LoadResult>;
  end(): void;
}

/**
 * Starts the load generator in a separate process, so that its CPU time does not delay the measured
 * service.
 */
export function startGenerator(origin: string): Generator {
  const child = fork(projectPath('dist/tools/bench/overload/offer.child.js'), { serialization: 'advanced' });
  return {
    run: async (requests, legs) => {
      const result = once(child, 'message') as Promise<[LoadResult]>;
      child.send({ origin, requests, legs } satisfies Order);
      return (await result)[0];
    },
    end: () => child.disconnect(),
  };
}
