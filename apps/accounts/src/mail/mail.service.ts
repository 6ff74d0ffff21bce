import { Injectable } from '@nestjs/common';
import type { PayloadOf, Services } from '#contracts';
import { Database } from '#persistence';
import { SignInRateLimiter } from '../sessions/sign-in.limiter.js';
import { hashToken } from '../tokens/token.crypto.js';
import { MemberRepository } from '../users/member.repository.js';
import { hashPassword } from '../users/password.crypto.js';
import { assertPasswordStrength } from '../users/password.rules.js';
import { MailClient } from './mail.client.js';
import { linkExpired } from './mail.errors.js';
import { MailLinkRepository } from './mail-link.repository.js';

type Messages = Services['accounts'];

/** Requests and uses of mailed links: reset of a password, confirmation of an e-mail address. */
@Injectable()
export class MailService {
  constructor(
    private readonly mail: MailClient,
    private readonly links: MailLinkRepository,
    private readonly members: MemberRepository,
    private readonly limiter: SignInRateLimiter,
    private readonly database: Database,
  ) {}

  /** Returns whether links can be sent. */
  get isEnabled(): boolean {
    return this.mail.isEnabled;
  }

  /**
   * Requests a link that resets a password, also for a user without a password or with an
   * unconfirmed address: such users, too, may have lost their only way to sign in. So the owner of
   * a mistyped address can take over the account. This risk is accepted, because the user of an
   * unconfirmed address could not recover the account otherwise. Neither the response nor the
   * response time reveals if the user exists, because the mail is sent later. No effect if mail is
   * disabled.
   *
   * @throws DomainError `sign-in.too-many`, `service.unavailable`
   */
  async requestReset({ email, visitor }: PayloadOf<Messages, 'passwords.request-reset'>): Promise<void> {
    if (!this.isEnabled) return;
    await this.limiter.requestMail(email, visitor.address);
    await this.links.requestReset(email, visitor.language);
  }

  /** Returns the name of the user whose password a link resets; null for an invalid link. */
  async findUserName({ token }: PayloadOf<Messages, 'passwords.show-reset'>): Promise<string | null> {
    return (await this.links.findUser('password-reset', hashToken(token)))?.name ?? null;
  }

  /**
   * Sets the password of a link's user, ends all sessions, and requests a mail that the password
   * has changed. With `endAccess`, also ends all other access. Opens no session, as the OWASP
   * Forgot Password Cheat Sheet recommends.
   *
   * @throws DomainError `link.expired`, `password.easy-to-guess`
   */
  async reset({ token, newPassword, endAccess, language }: PayloadOf<Messages, 'passwords.reset'>): Promise<void> {
    const hash = hashToken(token);
    const user = await this.links.findUser('password-reset', hash);
    if (!user) throw linkExpired();
    assertPasswordStrength(newPassword, user);
    await this.members.resetByLink(hash, { passwordHash: await hashPassword(newPassword), endAccess }, language);
  }

  /**
   * Requests a link that confirms the e-mail address of a user.
   *
   * @throws DomainError `user.not-found`, `sign-in.too-many`, `service.unavailable`
   */
  async requestConfirmation({ userId, visitor }: PayloadOf<Messages, 'emails.request-confirmation'>): Promise<void> {
    const { email } = await this.members.get(userId);
    await this.limiter.requestMail(email, visitor.address);
    await this.database.transaction((tx) => this.links.requestConfirmation(tx, userId, visitor.language));
  }

  /** Confirms an e-mail address. Throws `link.expired`. */
  confirmEmail({ token }: PayloadOf<Messages, 'emails.confirm'>): Promise<void> {
    return this.links.confirmEmail(hashToken(token));
  }
}
