import type { Fleet } from '../fleet/fleet.js';
import type { Outcome } from '../load/load.js';
import type { WebhookReceiver } from '../webhooks/receiver.js';

/** A fault that is injected into a running fleet. */
export interface Fault {
  /** Unique name in the table. */
  readonly name: string;
  /**
   * Failures of requests that the fault may cause besides 503, 504 and 429; only for faults that
   * stop a gateway.
   */
  readonly allowedOutcomes?: readonly Outcome[];
  /**
   * Injects the fault, and resolves when its cause is over: the server runs again, or new
   * connections work. Does not wait for the recovery of the apps. Times in the table are relative
   * to the call.
   *
   * @throws Error for an unexpected exit, such as an exit code other than 0 after SIGTERM
   */
  inject(fleet: Fleet, receiver: WebhookReceiver): Promise<void>;
}

const alwaysAllowed: readonly Outcome[] = [503, 504, 429];

/** Returns the outcomes that a fault does not allow, as sentences. */
export const unexpectedOutcomes = (failures: ReadonlyMap<Outcome, number>, { allowedOutcomes = [] }: Fault): string[] =>
  [...failures]
    .filter(([outcome]) => !alwaysAllowed.includes(outcome) && !allowedOutcomes.includes(outcome))
    .map(([outcome, count]) => `${count} requests ended with ${outcome}`);
