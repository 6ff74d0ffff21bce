import type { Fleet } from '../fleet/fleet.js';
import type { Ending } from '../load/load.js';

/** Something that goes wrong while the fleet serves. */
export interface Fault {
  /** In words, as the table shows it; unique. */
  readonly name: string;
  /** How requests may end beside 503, 504 and 429: where it ends a process that clients are connected to. */
  readonly alsoEnds?: readonly Ending[];
  /**
   * Lets it strike, and resolves when its cause is over: the server runs again, the network carries again. What the apps
   * need to come back is not waited for. The times of the table count from the call.
   *
   * @throws Error when something did not end as promised, such as an exit code other than 0 after SIGTERM
   */
  strike(fleet: Fleet): Promise<void>;
}

const promised: readonly Ending[] = [503, 504, 429];

/** What failures break the promise of a fault, in sentences. */
export const unpromised = (failures: ReadonlyMap<Ending, number>, { alsoEnds = [] }: Fault): string[] =>
  [...failures]
    .filter(([ending]) => !promised.includes(ending) && !alsoEnds.includes(ending))
    .map(([ending, count]) => `${count} requests ended with ${ending}`);
