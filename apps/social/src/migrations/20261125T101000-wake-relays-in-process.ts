import { WakeNoRelays } from '#events';

/**
 * Drops the trigger that notified relays, and its function, because a process wakes its own relay
 * after writing an event.
 */
export class WakeRelaysInProcess extends WakeNoRelays {
  readonly name = 'WakeRelaysInProcess1795601400000';
}
