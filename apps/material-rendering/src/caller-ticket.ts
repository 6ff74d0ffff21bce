import { type Priority, Ticket } from '#concurrency';
import { currentCall } from '#request-queue';

/** Returns a ticket for work on behalf of the current call's caller. */
export const callerTicket = (priority: Priority, weight?: number): Ticket =>
  new Ticket(priority, currentCall()?.caller, weight);
