import { fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';
import type { Asked, Leg, Order } from './offer.js';

export interface Generator {
  /** One at a time. */
  ask(requests: readonly string[], legs: readonly Leg[]): Promise<Asked>;
  end(): void;
}

/** A process that asks: what asking costs must not delay what is measured. */
export function startGenerator(origin: string): Generator {
  const child = fork(projectPath('dist/tools/bench/overload/offer.child.js'), { serialization: 'advanced' });
  return {
    ask: async (requests, legs) => {
      const answer = once(child, 'message') as Promise<[Asked]>;
      child.send({ origin, requests, legs } satisfies Order);
      return (await answer)[0];
    },
    end: () => child.disconnect(),
  };
}
