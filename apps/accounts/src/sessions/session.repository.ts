import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '#persistence';
import { hashToken } from '../tokens/token.crypto.js';
import { lockVerifiedUser, type VerifiedUser } from '../users/verified-user.queries.js';
import { type FreshSession, sessionDays, sessionsPerUser } from './session.rules.js';

/** How many expired sessions, of whomever, a new one takes away: more than one, so that they become fewer. */
const swept = 10;

// By the clock and not by the transaction's begin: of those that waited for each other the last one is the newest
const insert = `
  insert into sessions (hash, user_id, user_agent, created_at, expires_at)
  select $1, $2, $3, now, now + interval '${sessionDays} days' from clock_timestamp() as now`;

const removeOldest = `
  delete from sessions where hash in (
    select hash from sessions where user_id = $1 order by created_at desc, hash offset ${sessionsPerUser})`;

const sweep = `
  delete from sessions where hash in (
    select hash from sessions where expires_at <= now() order by expires_at limit ${swept} for update skip locked)`;

/** A session of a user whom the transaction has made, or whose row it has locked, so that the oldest are counted right. */
export async function beginSession(tx: Tx, userId: number, { hash, userAgent }: FreshSession): Promise<void> {
  await tx.query(insert, [hash, userId, userAgent]);
  await tx.query(removeOldest, [userId]);
  await tx.query(sweep);
}

/** Ends every session of a user whose row the transaction has locked or changed, so that none begins meanwhile. */
export async function endSessions(tx: Tx, userId: number): Promise<void> {
  await tx.query('delete from sessions where user_id = $1', [userId]);
}

@Injectable()
export class SessionRepository {
  constructor(private readonly database: Database) {}

  /**
   * Begins a session of a user.
   *
   * @returns false when the user has left, or has another password by now: a sign-in with the old one must not outlive it
   */
  begin(proof: VerifiedUser, session: FreshSession): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await lockVerifiedUser(tx, proof, 'no key update'))) return false;
      await beginSession(tx, proof.id, session);
      return true;
    });
  }

  /** Ends one session, if it is there. */
  async end(session: string): Promise<void> {
    await this.database.query('delete from sessions where hash = $1', [hashToken(session)]);
  }
}
