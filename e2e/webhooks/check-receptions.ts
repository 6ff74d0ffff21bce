import { isDeepStrictEqual } from 'node:util';
import type { Event } from '#contracts';
import type { Notes } from '../load/notes.js';
import type { Reception } from './receiver.js';

/** Compares the webhooks that endpoints have received with the log. */
export class ReceptionCheck {
  /** Events by user and id, with the number of their webhooks. */
  private readonly events = new Map<string, { readonly event: Event; receptions: number; isAccepted: boolean }>();

  /**
   * Checks that the endpoint of its user has accepted each new event, and that each webhook is an
   * event of the log under its id.
   *
   * @param logged new events
   * @param receptions webhooks since the last call
   * @returns the number of webhooks of events that were received before
   */
  check(logged: readonly Event[], receptions: readonly Reception[], notes: Notes): number {
    for (const event of logged)
      this.events.set(keyOf(event.userId, event.id), { event, receptions: 0, isAccepted: false });
    let repeated = 0;
    for (const { userId, id, event, isAccepted } of receptions) {
      const known = this.events.get(keyOf(userId, id));
      if (!known) notes.wrong(`user ${userId} has received ${event.type} ${id}, which is not in the log`);
      else {
        if (!isDeepStrictEqual(event, known.event))
          notes.wrong(`user ${userId} has received ${JSON.stringify(event)} instead of ${JSON.stringify(known.event)}`);
        if (known.receptions > 0) repeated += 1;
        known.receptions += 1;
        known.isAccepted ||= isAccepted;
      }
    }
    for (const { userId, id, type } of logged) {
      const { receptions: count, isAccepted } = this.events.get(keyOf(userId, id))!;
      if (!isAccepted) notes.lost(`${type} ${id} was not delivered to user ${userId}, ${count} webhooks failed`);
    }
    return repeated;
  }
}

const keyOf = (userId: number, id: string): string => `${userId}/${id}`;
