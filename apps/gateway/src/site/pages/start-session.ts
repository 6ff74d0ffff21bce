import type { QueueClients } from '#request-queue';
import type { PageContext } from './page-context.js';

/** Path after a sign-up without a return path. */
export const firstPath = '/materials/new';

/**
 * Moves the browser to a new session. Closes the previous session, because no browser has its
 * cookie any more and so nothing could sign it out.
 */
export async function startSession(clients: QueueClients, context: PageContext, session: string): Promise<void> {
  context.setSession(session);
  if (context.user) await clients.of('accounts').call('sessions.close', { session: context.user.session });
}
