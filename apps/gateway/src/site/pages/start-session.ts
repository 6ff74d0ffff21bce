import type { QueueClients } from '#request-queue';
import type { PageContext } from './page-context.js';

/**
 * From now on the browser is the one of this session, and the one that it was before ends: nobody could sign it out any
 * more.
 */
export async function beginSession(clients: QueueClients, visit: PageContext, session: string): Promise<void> {
  visit.begin(session);
  if (visit.user) await clients.of('accounts').call('sessions.close', { session: visit.user.session });
}
