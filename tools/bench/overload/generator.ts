import { fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';
import type { LoadResult, Phase, Load } from './send-load.js';

export interface Generator {
  /** Runs a load; one at a time. */
  run(requests: readonly string[], phases: readonly Phase[]): Promise<LoadResult>;
  end(): void;
}

/**
 * Starts the load generator in a separate process, so that its CPU time does not delay the measured
 * service.
 */
export function startGenerator(origin: string): Generator {
  const child = fork(projectPath('dist/tools/bench/overload/send-load.child.js'), { serialization: 'advanced' });
  return {
    run: async (requests, phases) => {
      const result = once(child, 'message') as Promise<[LoadResult]>;
      child.send({ origin, requests, phases } satisfies Load);
      return (await result)[0];
    },
    end: () => child.disconnect(),
  };
}
