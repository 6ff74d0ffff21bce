import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '#persistence';
import { hashToken } from '../tokens/token.crypto.js';
import { lockVerifiedUser, type VerifiedUser } from '../users/verified-user.queries.js';
import { type NewSession, sessionLifetimeDays, maxSessionsPerUser } from './session.rules.js';

/**
 * Maximum number of expired sessions (of any user) that the insert of a session deletes. Larger
 * than 1, so that their number decreases.
 */
const sweepLimit = 10;

// `clock_timestamp()` instead of `now()`, which is the start of the transaction: a transaction that
// has waited for another one inserts the newer session
const insert = `
  insert into sessions (hash, user_id, user_agent, created_at, expires_at)
  select $1, $2, $3, now, now + interval '${sessionLifetimeDays} days' from clock_timestamp() as now`;

const deleteOldest = `
  delete from sessions where hash in (
    select hash from sessions where user_id = $1 order by created_at desc, hash offset ${maxSessionsPerUser})`;

const sweep = `
  delete from sessions where hash in (
    select hash from sessions where expires_at <= now() order by expires_at limit ${sweepLimit} for update skip locked)`;

/**
 * Stores a session and deletes the user's oldest sessions beyond the maximum. The transaction must
 * have inserted or locked the user's row, so that concurrent sessions are counted.
 */
export async function insertSession(tx: Tx, userId: number, { hash, userAgent }: NewSession): Promise<void> {
  await tx.query(insert, [hash, userId, userAgent]);
  await tx.query(deleteOldest, [userId]);
  await tx.query(sweep);
}

/**
 * Deletes all sessions of a user. The transaction must have locked or changed the user's row, so
 * that no session is created concurrently.
 */
export async function deleteSessions(tx: Tx, userId: number): Promise<void> {
  await tx.query('delete from sessions where user_id = $1', [userId]);
}

@Injectable()
export class SessionRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores a session of a user.
   *
   * @returns false when the user was deleted or the password has changed since its verification: a
   *   session opened with the old password must not outlive the password
   */
  create(user: VerifiedUser, session: NewSession): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await lockVerifiedUser(tx, user, 'no key update'))) return false;
      await insertSession(tx, user.id, session);
      return true;
    });
  }

  /** Deletes a session, if it exists. */
  async delete(session: string): Promise<void> {
    await this.database.query('delete from sessions where hash = $1', [hashToken(session)]);
  }
}
