import { Injectable } from '@nestjs/common';
import { appendEvent } from '#events';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { freshKey } from '../keys/key.rules.js';
import { KeyRepository } from '../keys/key.repository.js';
import { beginSession, endSessions } from '../sessions/session.repository.js';
import type { FreshSession } from '../sessions/session.rules.js';
import { revokeTokens } from '../tokens/token.repository.js';
import { lockVerifiedUser, type VerifiedUser } from './verified-user.queries.js';
import { emailTaken, passwordWrong, userNotFound } from './user.errors.js';

/** What a user signs in with. */
export interface Credentials extends VerifiedUser {
  readonly name: string;
  readonly email: string;
}

/** A password that is set, and whether the personal key, tokens and consents end with the old one. */
interface NewPassword {
  readonly passwordHash: string;
  readonly endAccess: boolean;
}

const credentials = 'select id, name, email, password_hash as "passwordHash" from users where id > 0';
const setPassword = 'update users set password_hash = $2, updated_at = now() where';
// A violated index would be an error in PostgreSQL's log, with the address
const setEmail = `
  update users set email = $2, updated_at = now()
  where id = $1 and not exists (select from users where lower(email) = lower($2) and id <> $1)
  returning id`;
const byName = 'lower(name) = lower($1) and id > 0';

/** Users at their own account, and what an operator does to it. */
@Injectable()
export class MemberRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRepository,
  ) {}

  /** The user of a name or an e-mail address, given in lower case. */
  async findByLogin(login: string): Promise<Credentials | undefined> {
    const sql = `${credentials} and (lower(name) = $1 or lower(email) = $1)`;
    return (await this.database.query<Credentials>(sql, [login]))[0];
  }

  /** Throws `user.not-found`. */
  async get(userId: number): Promise<Credentials> {
    const [user] = await this.database.query<Credentials>(`${credentials} and id = $1`, [userId]);
    if (!user) throw userNotFound(userId);
    return user;
  }

  /** Changes the address and says `user.updated`. Throws `user.email-taken`, `password.wrong`. */
  async changeEmail(proof: VerifiedUser, email: string): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        if (!(await lockVerifiedUser(tx, proof, 'no key update'))) throw passwordWrong();
        const [[changed]] = await tx.query<[{ id: number }[], number]>(setEmail, [proof.id, email]);
        if (!changed) throw emailTaken();
        await appendEvent(tx, 'user.updated', { userId: proof.id });
      });
    } catch (error) {
      // Two users change to the same address at once
      throw violatedConstraint(error) === 'users_email_unique' ? emailTaken() : error;
    }
  }

  /** Another password, and one session instead of all others. Throws `password.wrong`. */
  changePassword(proof: VerifiedUser, { passwordHash, endAccess }: NewPassword, session: FreshSession): Promise<void> {
    return this.database.transaction(async (tx) => {
      if (!(await lockVerifiedUser(tx, proof, endAccess ? 'update' : 'no key update'))) throw passwordWrong();
      await tx.query(`${setPassword} id = $1`, [proof.id, passwordHash]);
      await endSessions(tx, proof.id);
      if (endAccess) await this.endAccess(tx, proof.id);
      await beginSession(tx, proof.id, session);
    });
  }

  /** Another password for the named user, and no session. @returns the name as it is written. Throws `user.not-found`. */
  resetPassword(name: string, { passwordHash, endAccess }: NewPassword): Promise<string> {
    return this.database.transaction(async (tx) => {
      const sql = `select id, name from users where ${byName} for ${endAccess ? 'update' : 'no key update'}`;
      const [user] = await tx.query<{ id: number; name: string }[]>(sql, [name]);
      if (!user) throw userNotFound(name);
      await tx.query(`${setPassword} id = $1`, [user.id, passwordHash]);
      await endSessions(tx, user.id);
      if (endAccess) await this.endAccess(tx, user.id);
      return user.name;
    });
  }

  /** Ends what acts for a user whose row is locked for update: consents, codes, tokens. A new personal key replaces the old. */
  private async endAccess(tx: Tx, userId: number): Promise<void> {
    const sql = 'select application_id as id from consents where user_id = $1 order by application_id';
    for (const { id } of await tx.query<{ id: number }[]>(sql, [userId]))
      await tx.query('select from applications where id = $1 for key share', [id]);
    for (const table of ['consents', 'authorization_codes'])
      await tx.query(`delete from ${table} where user_id = $1`, [userId]);
    await revokeTokens(tx, { userId });
    await this.keys.add(tx, userId, freshKey());
  }

  /** The user leaves. Throws `password.wrong` when another one has been set, `user.not-found` when the user has left. */
  leave(user: Credentials): Promise<void> {
    return this.database.transaction(async (tx) => {
      if (await lockVerifiedUser(tx, user, 'update')) return remove(tx, user);
      const [present] = await tx.query<unknown[]>('select from users where id = $1', [user.id]);
      throw present ? passwordWrong() : userNotFound(user.name);
    });
  }

  /** The named user is removed. Throws `user.not-found`. */
  remove(name: string): Promise<{ id: number; name: string }> {
    return this.database.transaction(async (tx) => {
      const sql = `select id, name from users where ${byName} for update`;
      const [user] = await tx.query<{ id: number; name: string }[]>(sql, [name]);
      if (!user) throw userNotFound(name);
      await remove(tx, user);
      return user;
    });
  }
}

const owned = 'select id from applications where owner_id = $1';
const withApplications = `
  select id, owner_id = $1 as "isOwn" from applications
  where owner_id = $1 or id in (select application_id from consents where user_id = $1)
  order by id`;

/**
 * Removes a user whose row is locked for update, so that no token, session or application of the user is made meanwhile,
 * with everything that is theirs. Tokens are ended one by one, because gateways remember them: the user's own, and those
 * that others have given to the user's applications, which are locked first for the same reason. Those of others that the
 * user has allowed something are held where they are: see the order of locks at `revokeTokens`.
 */
async function remove(tx: Tx, { id: userId, name }: { id: number; name: string }): Promise<void> {
  const applications = await tx.query<{ id: number; isOwn: boolean }[]>(withApplications, [userId]);
  for (const { id, isOwn } of applications)
    await tx.query(`select from applications where id = $1 for ${isOwn ? 'update' : 'key share'}`, [id]);
  for (const table of ['consents', 'authorization_codes'])
    await tx.query(`delete from ${table} where user_id = $1 or application_id in (${owned})`, [userId]);
  await revokeTokens(tx, { userId });
  for (const { id: applicationId, isOwn } of applications) if (isOwn) await revokeTokens(tx, { applicationId });
  await tx.query('delete from users where id = $1', [userId]);
  await appendEvent(tx, 'user.deleted', { userId, name });
}
