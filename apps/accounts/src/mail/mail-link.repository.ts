import { Injectable } from '@nestjs/common';
import type { EventEnvelope, Language } from '#contracts';
import { appendEvent, insertOfEvent, metadataOfCall } from '#events';
import { Database, type Tx } from '#persistence';
import { MailClient } from './mail.client.js';
import { linkExpired } from './mail.errors.js';
import { type LinkPurpose, linkPurposes } from './mail.rules.js';

/** Name and e-mail address of a user. */
export interface MailUser {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

// The same work for every address, so that the response time does not reveal if a user has it
const requestReset = `
  with appended as (${insertOfEvent('password.reset-requested', {
    payload: { userId: 'wanted.id', language: '$2::text' },
    metadata: '$3',
    from: '(select (select id from users where lower(email) = lower($1)) as id) as wanted',
  })})
  select`;

// In any order of delivery, the link of the latest request remains
const replace = `
  insert into mail_links (user_id, purpose, hash, email, expires_at)
  select id, $2, $3, email, $4::timestamptz + $5 * interval '1 hour' from users
  where id = $1 and ($2 <> 'email-confirmation' or email_confirmed_at is null)
  for key share
  on conflict on constraint mail_links_pkey do update
    set hash = excluded.hash, email = excluded.email, expires_at = excluded.expires_at
    where mail_links.expires_at < excluded.expires_at`;

// A link is valid only for the address that it was sent to
const validLink = `
  from mail_links l join users u on u.id = l.user_id and u.email = l.email
  where l.hash = $1 and l.purpose = $2 and l.expires_at > now()`;

/** Links in mails to users, by the SHA-256 of their tokens: at most one per user and purpose. */
@Injectable()
export class MailLinkRepository {
  constructor(
    private readonly database: Database,
    private readonly mail: MailClient,
  ) {}

  /** Appends `password.reset-requested` with the user of an e-mail address, or with none. */
  async requestReset(email: string, language: Language): Promise<void> {
    await this.database.write(requestReset, [email, language, JSON.stringify(metadataOfCall())]);
  }

  /** Appends `email.confirmation-requested`, unless mail is disabled. */
  async requestConfirmation(tx: Tx, userId: number, language: Language): Promise<void> {
    if (this.mail.isEnabled) await appendEvent(tx, 'email.confirmation-requested', { userId, language });
  }

  /** Appends `password.reset`, unless mail is disabled. */
  async announceReset(tx: Tx, userId: number, language: Language): Promise<void> {
    if (this.mail.isEnabled) await appendEvent(tx, 'password.reset', { userId, language });
  }

  /**
   * Stores a link, which replaces an older one of the same user and purpose. Stores none for a
   * deleted user, and none that confirms an address that is confirmed already.
   */
  async replace(
    tx: Tx,
    userId: number,
    { purpose, hash }: { readonly purpose: LinkPurpose; readonly hash: Buffer },
    { occurredAt }: EventEnvelope,
  ): Promise<void> {
    await tx.query(replace, [userId, purpose, hash, occurredAt, linkPurposes[purpose].lifetimeHours]);
  }

  /** Returns the user with an id, unless it is deleted. */
  async findRecipient(userId: number): Promise<MailUser | undefined> {
    const sql = 'select id, name, email from users where id = $1';
    return (await this.database.read<MailUser>(sql, [userId]))[0];
  }

  /** Returns the user of a valid link. */
  async findUser(purpose: LinkPurpose, hash: Buffer): Promise<MailUser | undefined> {
    const sql = `select u.id, u.name, u.email ${validLink}`;
    return (await this.database.read<MailUser>(sql, [hash, purpose]))[0];
  }

  /**
   * Locks the user of a link and deletes the link. The deletion decides which of several concurrent
   * requests uses the link.
   *
   * @param lock `update` also prevents concurrent inserts of rows that reference the user
   * @returns the id of the user
   * @throws DomainError `link.expired`
   */
  async take(tx: Tx, purpose: LinkPurpose, hash: Buffer, lock: 'no key update' | 'update'): Promise<number> {
    const [user] = await tx.query<{ id: number }[]>(`select u.id ${validLink} for ${lock} of u`, [hash, purpose]);
    if (!user) throw linkExpired();
    const deletion = 'delete from mail_links where hash = $1 returning user_id';
    const [deleted] = await tx.query<[unknown[], number]>(deletion, [hash]);
    if (deleted.length === 0) throw linkExpired();
    return user.id;
  }

  /** Confirms the e-mail address of a link. Throws `link.expired`. */
  confirmEmail(hash: Buffer): Promise<void> {
    return this.database.transaction(async (tx) => {
      const userId = await this.take(tx, 'email-confirmation', hash, 'no key update');
      await tx.query('update users set email_confirmed_at = now() where id = $1', [userId]);
    });
  }
}
