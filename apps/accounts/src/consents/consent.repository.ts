import { Injectable } from '@nestjs/common';
import { Database } from '#persistence';
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
      const [consents] = await tx.query<[object[], number]>(
        'delete from consents where user_id = $1 and application_id = $2 returning 1',
        ids,
      );
      await tx.query('delete from authorization_codes where user_id = $1 and application_id = $2', ids);
      const tokens = await revokeTokens(tx, { applicationId, userId });
      return consents.length + tokens > 0;
    });
  }
}
