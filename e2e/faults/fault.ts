import type { Fleet } from '../../tools/fleet/fleet.js';

/** Something that goes wrong while the fleet serves. */
export interface Fault {
  /** In words, as the table shows it; unique. */
  readonly name: string;
  /**
   * It ends a process that clients are connected to: requests without an answer, or without a connection, are then no
   * broken promise.
   */
  readonly breaksConnections?: boolean;
  /**
   * Lets it strike, and resolves when its cause is over: the server runs again, the network carries again. What the apps
   * need to come back is not waited for. The times of the table count from the call.
   *
   * @throws Error when something did not end as promised, such as an exit code other than 0 after SIGTERM
   */
  strike(fleet: Fleet): Promise<void>;
}
