import { Injectable } from '@nestjs/common';
import type { Language } from '#contracts';
import { appendEvent } from '#events';
import { Database, type Tx, violatedConstraint } from '#persistence';
import { generateKey } from '../keys/key.rules.js';
import { insertSession } from '../sessions/session.repository.js';
import type { NewSession } from '../sessions/session.rules.js';
import { MailLinkRepository } from '../mail/mail-link.repository.js';
import { userNotFound } from '../users/user.errors.js';
import { type NewUser, UserRepository } from '../users/user.repository.js';
import { signInExpired, identityNotFound, identityTaken, lastSignInMethod } from './identity.errors.js';

/**
 * Pending sign-in at a provider, with the SHA-256 of `state` and of the browser's cookie
 * (`browserToken`, column `visit_hash`).
 */
interface SignInAttempt {
  readonly stateHash: Buffer;
  readonly browserTokenHash: Buffer;
  readonly provider: string;
  /** User to link the identity to; null for a sign-in. */
  readonly userId: number | null;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly returnTo: string;
}

/** Account of a user at a provider. */
interface Identity {
  readonly provider: string;
  readonly uid: string;
  readonly nickname: string | null;
  readonly url: string | null;
}

/**
 * Ticket with which a new user proves an identity at sign-up. Stored as the SHA-256 of its value.
 */
interface Ticket extends Identity {
  readonly hash: Buffer;
  readonly browserTokenHash: Buffer;
  readonly returnTo: string;
}

const insertAttempt = `
  insert into identity_attempts
    (state_hash, visit_hash, provider, user_id, nonce, code_verifier, return_to, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '10 minutes')`;
const insertTicket = `
  insert into identity_tickets (hash, visit_hash, provider, uid, nickname, url, return_to, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '15 minutes')`;

const takeAttempt = `
  delete from identity_attempts where state_hash = $1 and visit_hash = $2
  returning provider, user_id as "userId", nonce, code_verifier as "codeVerifier", return_to as "returnTo",
    expires_at > now() as "isValid"`;
const takeTicket = `
  delete from identity_tickets where hash = $1 and visit_hash = $2 and expires_at > now()
  returning provider, uid, nickname, url, return_to as "returnTo"`;

const lockOwner = `
  select u.id from users u join identities i on u.id = i.user_id
  where i.provider = $1 and i.uid = $2
  for no key update`;
/** Locks a user who has a valid session with this hash. The lock serializes link and unlink. */
const lockSignedIn = `
  select id from users
  where id = $1 and exists (select from sessions where hash = $2 and user_id = $1 and expires_at > now())
  for no key update`;
const insert = `
  insert into identities (user_id, provider, uid, nickname, url) values ($1, $2, $3, $4, $5)
  on conflict on constraint identities_unique do nothing
  returning id`;

@Injectable()
export class IdentityRepository {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly links: MailLinkRepository,
  ) {}

  /** Stores a pending sign-in. Throws `identity.expired` when the user is deleted. */
  async insertAttempt({
    stateHash,
    browserTokenHash,
    provider,
    userId,
    nonce,
    codeVerifier,
    returnTo,
  }: SignInAttempt): Promise<void> {
    try {
      const values = [stateHash, browserTokenHash, provider, userId, nonce, codeVerifier, returnTo];
      await this.database.query(insertAttempt, values);
    } catch (error) {
      throw violatedConstraint(error) === 'identity_attempts_user_id_fkey' ? signInExpired() : error;
    }
  }

  /**
   * Deletes and returns the pending sign-in with this state and this browser, so that it can be
   * finished only once.
   *
   * @throws DomainError `identity.expired`, also when there is none
   */
  async takeAttempt(
    stateHash: Buffer,
    browserTokenHash: Buffer,
  ): Promise<Omit<SignInAttempt, 'stateHash' | 'browserTokenHash'>> {
    const [rows] = (await this.database.query(takeAttempt, [stateHash, browserTokenHash])) as [
      (Omit<SignInAttempt, 'stateHash' | 'browserTokenHash'> & { isValid: boolean })[],
      number,
    ];
    const attempt = rows[0];
    if (!attempt?.isValid) throw signInExpired();
    return attempt;
  }

  async insertTicket({ hash, browserTokenHash, provider, uid, nickname, url, returnTo }: Ticket): Promise<void> {
    await this.database.query(insertTicket, [hash, browserTokenHash, provider, uid, nickname, url, returnTo]);
  }

  /**
   * Opens a session of the user who has this identity.
   *
   * @returns false when no user has the identity
   */
  openSession({ provider, uid }: Pick<Identity, 'provider' | 'uid'>, session: NewSession): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [user] = await tx.query<{ id: number }[]>(lockOwner, [provider, uid]);
      if (user) await insertSession(tx, user.id, session);
      return user !== undefined;
    });
  }

  /**
   * Creates a user with the identity of a ticket, the personal key and a session in one
   * transaction. The ticket is consumed only if the user is created.
   *
   * @param language language of the mail that confirms the e-mail address
   * @returns the path to return to
   * @throws DomainError `identity.expired`, `identity.taken`, `user.name-taken`, `user.email-taken`
   */
  async signUp(
    ticketKey: Pick<Ticket, 'hash' | 'browserTokenHash'>,
    user: NewUser,
    session: NewSession,
    language: Language,
  ): Promise<string> {
    let returnTo = '';
    await this.users.create(user, generateKey(), async (tx, userId) => {
      const [[ticket]] = await tx.query<[Ticket[], number]>(takeTicket, [ticketKey.hash, ticketKey.browserTokenHash]);
      if (!ticket) throw signInExpired();
      if (!(await this.add(tx, userId, ticket))) throw identityTaken();
      await insertSession(tx, userId, session);
      await this.links.requestConfirmation(tx, userId, language);
      returnTo = ticket.returnTo;
    });
    return returnTo;
  }

  /**
   * Links an identity to a user who has a session with this hash, unless it is linked already.
   *
   * @throws DomainError `identity.expired` when the session has ended, `identity.taken` when
   *   another user has the identity
   */
  link(userId: number, sessionHash: Buffer, identity: Identity): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [user] = await tx.query<{ id: number }[]>(lockSignedIn, [userId, sessionHash]);
      if (!user) throw signInExpired();
      if (await this.add(tx, userId, identity)) return appendEvent(tx, 'user.updated', { userId });
      const [own] = await tx.query<{ id: number }[]>(
        'select id from identities where provider = $1 and uid = $2 and user_id = $3',
        [identity.provider, identity.uid, userId],
      );
      if (!own) throw identityTaken();
    });
  }

  /**
   * Unlinks an identity. A password, or an identity at a configured provider, must remain.
   *
   * @throws DomainError `user.not-found`, `identity.not-found`, `identity.last`
   */
  unlink(userId: number, identityId: number, providers: readonly string[]): Promise<void> {
    return this.database.transaction(async (tx) => {
      const [user] = await tx.query<{ hasPassword: boolean }[]>(
        `select password_hash is not null as "hasPassword" from users where id = $1 and id > 0 for no key update`,
        [userId],
      );
      if (!user) throw userNotFound(userId);
      const [[deleted]] = await tx.query<[{ id: number }[], number]>(
        'delete from identities where id = $1 and user_id = $2 returning id',
        [identityId, userId],
      );
      if (!deleted) throw identityNotFound();
      const [other] = await tx.query<{ id: number }[]>(
        'select id from identities where user_id = $1 and uid is not null and provider = any($2) limit 1',
        [userId, providers],
      );
      if (!user.hasPassword && !other) throw lastSignInMethod();
      await appendEvent(tx, 'user.updated', { userId });
    });
  }

  /** @returns false when a user has the identity already */
  private async add(tx: Tx, userId: number, { provider, uid, nickname, url }: Identity): Promise<boolean> {
    const inserted = await tx.query<unknown[]>(insert, [userId, provider, uid, nickname, url]);
    return inserted.length > 0;
  }
}
