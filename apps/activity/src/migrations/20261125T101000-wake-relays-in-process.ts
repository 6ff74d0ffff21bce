import { WakeNoRelays } from '#events';

/** The process that writes an event wakes its relay, and PostgreSQL does not. */
export class WakeRelaysInProcess extends WakeNoRelays {
  readonly name = 'WakeRelaysInProcess1795601400000';
}
