import { WakeNoRelays } from '#events';

/**
 * Drops the triggers that notified relays: the process that writes an event wakes its own relay.
 */
export class WakeRelaysInProcess extends WakeNoRelays {
  readonly name = 'WakeRelaysInProcess1795601400000';
}
