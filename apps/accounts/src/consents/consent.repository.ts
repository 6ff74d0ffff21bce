import { Injectable } from '@nestjs/common';
import { type EventPayload } from '#contracts';
import { appendEvents } from '#events';
import { Database, type Tx } from '#persistence';
import { revokeTokens } from '../tokens/token.repository.js';

@Injectable()
export class ConsentRepository {
  constructor(private readonly database: Database) {}

  /**
   * Revokes the access of an application to a user's account: deletes the consent, the codes and
   * the tokens, in the lock order of `revokeTokens`.
   *
   * @returns false when there was neither a consent nor an access token
   */
  revoke(userId: number, applicationId: number): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const ids = [userId, applicationId];
      await tx.query('select from users where id = $1 for no key update', [userId]);
      await tx.query('select from applications where id = $1 for key share', [applicationId]);
      const consents = await deleteConsents(tx, 'c.user_id = $1 and c.application_id = $2', ids);
      await tx.query('delete from authorization_codes where user_id = $1 and application_id = $2', ids);
      const tokens = await revokeTokens(tx, { applicationId, userId });
      return consents + tokens > 0;
    });
  }
}

/**
 * Deletes consents, and appends `application.revoked` for each.
 *
 * @param condition SQL condition on `consents c` and their `applications a`
 * @returns the number of deleted consents
 */
export async function deleteConsents(tx: Tx, condition: string, parameters: readonly unknown[]): Promise<number> {
  const [revoked] = await tx.query<[EventPayload<'application.revoked'>[], number]>(
    `delete from consents c using applications a where a.id = c.application_id and (${condition})
     returning c.application_id as "applicationId", a.owner_id as "ownerId", c.user_id as "userId"`,
    [...parameters],
  );
  await appendEvents(tx, 'application.revoked', revoked);
  return revoked.length;
}
