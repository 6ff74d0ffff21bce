import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '#persistence';
import { hashToken } from '../tokens/token.crypto.js';
import { lockVerifiedUser, type VerifiedUser } from '../users/verified-user.queries.js';
import { type NewSession, sessionLifetimeDays, maxSessionsPerUser } from './session.rules.js';

/**
 * Maximum number of expired sessions, of all users, that a new one deletes: more than one, so that
 * they become fewer.
 */
const sweepLimit = 10;

// `clock_timestamp()`, not the begin of the transaction: of transactions that wait for each other,
// the last one is the newest
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
 * Stores a session of a user whose row the transaction has inserted or locked, so that sessions are
 * counted correctly.
 */
export async function insertSession(tx: Tx, userId: number, { hash, userAgent }: NewSession): Promise<void> {
  await tx.query(insert, [hash, userId, userAgent]);
  await tx.query(deleteOldest, [userId]);
  await tx.query(sweep);
}

/**
 * Deletes all sessions of a user whose row the transaction has locked or changed, so that none
 * begins concurrently.
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
   * @returns false when the user is deleted or the password has changed: a sign-in with the old one
   *   must not outlive it
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
