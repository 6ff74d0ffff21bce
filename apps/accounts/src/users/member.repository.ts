import { Injectable } from '@nestjs/common';
import type { Language } from '#contracts';
import { appendEvent } from '#events';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { deleteConsents } from '../consents/consent.repository.js';
import { generateKey } from '../keys/key.rules.js';
import { KeyRepository } from '../keys/key.repository.js';
import { MailLinkRepository } from '../mail/mail-link.repository.js';
import { insertSession, deleteSessions } from '../sessions/session.repository.js';
import type { NewSession } from '../sessions/session.rules.js';
import { revokeTokens } from '../tokens/token.repository.js';
import { lockVerifiedUser, type VerifiedUser } from './verified-user.queries.js';
import { emailTaken, passwordWrong, userNotFound } from './user.errors.js';

/** Name, e-mail address and password hash of a user. */
export interface Credentials extends VerifiedUser {
  readonly name: string;
  readonly email: string;
}

/**
 * New password of a user. `endAccess` also revokes the user's tokens and consents, and replaces the
 * personal key.
 */
interface NewPassword {
  readonly passwordHash: string;
  readonly endAccess: boolean;
}

const credentials = 'select id, name, email, password_hash as "passwordHash" from users where id > 0';
const setPassword = 'update users set password_hash = $2, updated_at = now() where id = $1';
// Checks if another user has the e-mail address. Relying on the unique index instead would log an
// error in PostgreSQL, by default with the e-mail address
const setEmail = `
  update users set email = $2, updated_at = now(), email_confirmed_at = case when email = $2 then email_confirmed_at end
  where id = $1 and not exists (select from users where lower(email) = lower($2) and id <> $1)
  returning id`;
const confirmEmail = 'update users set email_confirmed_at = coalesce(email_confirmed_at, now()) where id = $1';
const byName = 'lower(name) = lower($1) and id > 0';

/** Returns the lock of the user's row that a new password needs. */
const lockFor = ({ endAccess }: NewPassword) => (endAccess ? 'update' : 'no key update');

/** Changes of user accounts, by their users and by operators. */
@Injectable()
export class MemberRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRepository,
    private readonly links: MailLinkRepository,
  ) {}

  /** Returns the user whose name or e-mail address, in lower case, is `login`. */
  async findByLogin(login: string): Promise<Credentials | undefined> {
    const sql = `${credentials} and (lower(name) = $1 or lower(email) = $1)`;
    return (await this.database.query<Credentials>(sql, [login]))[0];
  }

  /** Returns a user. Throws `user.not-found`. */
  async get(userId: number): Promise<Credentials> {
    const [user] = await this.database.query<Credentials>(`${credentials} and id = $1`, [userId]);
    if (!user) throw userNotFound(userId);
    return user;
  }

  /**
   * Changes the e-mail address, and requests its confirmation. The request has no effect if the
   * address is unchanged and confirmed.
   *
   * @param language language of the mail
   * @throws DomainError `user.email-taken`, `password.wrong` when the password has changed since
   *   its verification or the user is deleted
   */
  async changeEmail(user: VerifiedUser, email: string, language: Language): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        if (!(await lockVerifiedUser(tx, user, 'no key update'))) throw passwordWrong();
        const [[changed]] = await tx.query<[{ id: number }[], number]>(setEmail, [user.id, email]);
        if (!changed) throw emailTaken();
        await appendEvent(tx, 'user.updated', { userId: user.id });
        await this.links.requestConfirmation(tx, user.id, language);
      });
    } catch (error) {
      // Two users change to the same e-mail address concurrently
      throw violatedConstraint(error) === 'users_email_unique' ? emailTaken() : error;
    }
  }

  /**
   * Sets the password, and replaces all sessions by the given one. Throws `password.wrong` as
   * `changeEmail` does.
   */
  changePassword(user: VerifiedUser, newPassword: NewPassword, session: NewSession): Promise<void> {
    return this.database.transaction(async (tx) => {
      if (!(await lockVerifiedUser(tx, user, lockFor(newPassword)))) throw passwordWrong();
      await this.replacePassword(tx, user.id, newPassword);
      await insertSession(tx, user.id, session);
    });
  }

  /**
   * Sets the password of the named user, and deletes all sessions. Throws `user.not-found`.
   *
   * @returns the name in its original case
   */
  resetPassword(name: string, newPassword: NewPassword): Promise<string> {
    return this.database.transaction(async (tx) => {
      const sql = `select id, name from users where ${byName} for ${lockFor(newPassword)}`;
      const [user] = await tx.query<{ id: number; name: string }[]>(sql, [name]);
      if (!user) throw userNotFound(name);
      await this.replacePassword(tx, user.id, newPassword);
      return user.name;
    });
  }

  /**
   * Sets the password of the user of a mailed link, and deletes all sessions. The e-mail address is
   * then confirmed, because the user has received the link. Throws `link.expired`.
   *
   * @param language language of the mail about the change
   */
  resetByLink(hash: Buffer, newPassword: NewPassword, language: Language): Promise<void> {
    return this.database.transaction(async (tx) => {
      const userId = await this.links.take(tx, 'password-reset', hash, lockFor(newPassword));
      await this.replacePassword(tx, userId, newPassword);
      await tx.query(confirmEmail, [userId]);
      await this.links.announceReset(tx, userId, language);
    });
  }

  /**
   * Sets the password of a user whose row is locked, and deletes all sessions and the link that
   * resets the password.
   */
  private async replacePassword(tx: Tx, userId: number, { passwordHash, endAccess }: NewPassword): Promise<void> {
    await tx.query(setPassword, [userId, passwordHash]);
    await deleteSessions(tx, userId);
    await tx.query(`delete from mail_links where user_id = $1 and purpose = 'password-reset'`, [userId]);
    if (endAccess) await this.endAccess(tx, userId);
  }

  /**
   * Revokes the consents, codes and tokens of a user whose row is locked for update, and adds a new
   * personal key.
   */
  private async endAccess(tx: Tx, userId: number): Promise<void> {
    const sql = 'select application_id as id from consents where user_id = $1 order by application_id';
    for (const { id } of await tx.query<{ id: number }[]>(sql, [userId]))
      await tx.query('select from applications where id = $1 for key share', [id]);
    await deleteConsents(tx, 'c.user_id = $1', [userId]);
    await tx.query('delete from authorization_codes where user_id = $1', [userId]);
    await revokeTokens(tx, { userId });
    await this.keys.add(tx, userId, generateKey());
  }

  /**
   * Deletes the account of a verified user. Throws `password.wrong` after a change of the password,
   * `user.not-found` after a deletion.
   */
  deleteVerified(user: Credentials): Promise<void> {
    return this.database.transaction(async (tx) => {
      if (await lockVerifiedUser(tx, user, 'update')) return deleteUser(tx, user);
      const [existing] = await tx.query<unknown[]>('select from users where id = $1', [user.id]);
      throw existing ? passwordWrong() : userNotFound(user.name);
    });
  }

  /** Deletes the user with this name, compared case-insensitively. Throws `user.not-found`. */
  deleteByName(name: string): Promise<{ id: number; name: string }> {
    return this.database.transaction(async (tx) => {
      const sql = `select id, name from users where ${byName} for update`;
      const [user] = await tx.query<{ id: number; name: string }[]>(sql, [name]);
      if (!user) throw userNotFound(name);
      await deleteUser(tx, user);
      return user;
    });
  }
}

const ownApplications = 'select id from applications where owner_id = $1';
const applicationsToLock = `
  select id, owner_id = $1 as "isOwn" from applications
  where owner_id = $1 or id in (select application_id from consents where user_id = $1)
  order by id`;

/**
 * Deletes a user with all data in this service, and appends `user.deleted`. The user's row must be
 * locked for update, so that no token, session or application of the user is created concurrently.
 *
 * Gateways cache tokens, so `token.revoked` is appended for each one: tokens of the user, and
 * tokens that others have granted to the user's applications. These applications are locked for
 * update, so that no such token is issued concurrently. Applications of others that the user has
 * allowed are locked for key share: see the lock order at `revokeTokens`.
 */
async function deleteUser(tx: Tx, { id: userId, name }: { id: number; name: string }): Promise<void> {
  const applications = await tx.query<{ id: number; isOwn: boolean }[]>(applicationsToLock, [userId]);
  for (const { id, isOwn } of applications)
    await tx.query(`select from applications where id = $1 for ${isOwn ? 'update' : 'key share'}`, [id]);
  await deleteConsents(tx, 'c.user_id = $1 or a.owner_id = $1', [userId]);
  await tx.query(`delete from authorization_codes where user_id = $1 or application_id in (${ownApplications})`, [
    userId,
  ]);
  await revokeTokens(tx, { userId });
  for (const { id: applicationId, isOwn } of applications) if (isOwn) await revokeTokens(tx, { applicationId });
  await tx.query('delete from idempotency_keys where user_id = $1', [userId]);
  await tx.query('delete from users where id = $1', [userId]);
  await appendEvent(tx, 'user.deleted', { userId, name });
}
