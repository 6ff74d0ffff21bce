import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isReservedName, type PayloadOf, type ReplyOf, type Services, type Visitor } from '#contracts';
import { generateKey } from '../keys/key.rules.js';
import { MailLinkRepository } from '../mail/mail-link.repository.js';
import { SignInRateLimiter, normalizeLogin } from '../sessions/sign-in.limiter.js';
import { insertSession } from '../sessions/session.repository.js';
import { generateSession } from '../sessions/session.rules.js';
import { type Credentials, MemberRepository } from './member.repository.js';
import { assertPasswordStrength, passwordRejection } from './password.rules.js';
import { hashPassword, verifyPassword } from './password.crypto.js';
import { nameMismatch, nameReserved, passwordWrong, rejectionOf, userNotFound } from './user.errors.js';
import { UserRepository } from './user.repository.js';

type Messages = Services['accounts'];

/** Operations on user accounts, by their users and by operators. */
@Injectable()
export class MemberService {
  constructor(
    private readonly members: MemberRepository,
    private readonly users: UserRepository,
    private readonly limiter: SignInRateLimiter,
    private readonly links: MailLinkRepository,
  ) {}

  /**
   * Signs up a user, with a personal API key and a session. A taken name or e-mail address is
   * reported, because the visitor has to choose another one, together with the errors of the other
   * fields. So every attempt is counted, even one with an easy password.
   *
   * @throws DomainError `user.name-reserved`, `user.name-taken`, `user.email-taken`,
   *   `password.easy-to-guess`, `sign-in.too-many`, `service.unavailable`
   */
  async signUp(request: PayloadOf<Messages, 'users.sign-up'>): Promise<ReplyOf<Messages, 'users.sign-up'>> {
    const { name, email, password, visitor } = request;
    await this.limiter.signUp(visitor.address);
    const taken = await this.users.findTaken(request);
    const rejection = rejectionOf({
      name: isReservedName(name) ? nameReserved(name) : taken.name,
      email: taken.email,
      password: passwordRejection(password, request),
    });
    if (rejection) throw rejection;
    const passwordHash = await hashPassword(password);
    const session = generateSession(visitor.userAgent);
    const user = { name, email, displayName: null, passwordHash };
    await this.users.create(user, generateKey(), async (tx, userId) => {
      await insertSession(tx, userId, session);
      await this.links.requestConfirmation(tx, userId, visitor.language);
    });
    return { session: session.session };
  }

  /**
   * Changes the e-mail address.
   *
   * @throws DomainError `password.wrong`, `sign-in.too-many`, `service.unavailable`,
   *   `user.email-taken`, `user.not-found`
   */
  async changeEmail(request: PayloadOf<Messages, 'users.change-email'>): Promise<void> {
    const user = await this.authenticate(request);
    await this.limiter.changeEmail(request.visitor.address);
    await this.members.changeEmail(user, request.email, request.visitor.language);
  }

  /**
   * Changes the password, and replaces all sessions of the user by a new one. Tokens stay valid
   * unless `endAccess` is set, because programs use them without the password. `endAccess` is for a
   * stolen password, with which someone may have created tokens or read the personal key.
   *
   * @throws DomainError `password.easy-to-guess`, `password.wrong`, `sign-in.too-many`,
   *   `service.unavailable`, `user.not-found`
   */
  async changePassword(
    request: PayloadOf<Messages, 'users.change-password'>,
  ): Promise<ReplyOf<Messages, 'users.change-password'>> {
    const user = await this.members.get(request.userId);
    assertPasswordStrength(request.newPassword, user);
    await this.verifyCurrentPassword(user, request);
    const session = generateSession(request.visitor.userAgent);
    const passwordHash = await hashPassword(request.newPassword);
    await this.members.changePassword(user, { passwordHash, endAccess: request.endAccess }, session);
    return { session: session.session };
  }

  /**
   * Deletes the account of a user who types name and password.
   *
   * @throws DomainError `user.name-differs`, `password.wrong`, `sign-in.too-many`,
   *   `service.unavailable`, `user.not-found`
   */
  async deleteAccount(request: PayloadOf<Messages, 'users.delete-account'>): Promise<void> {
    const user = await this.members.get(request.userId);
    if (normalizeLogin(request.name) !== normalizeLogin(user.name)) throw nameMismatch();
    await this.verifyCurrentPassword(user, request);
    await this.members.deleteVerified(user);
  }

  /**
   * Resets the password of a user, for an operator; the default is a random password of 144 bits.
   * Deletes all sessions of the user; with `endAccess`, also revokes consents and tokens, and
   * replaces the personal key.
   *
   * @throws DomainError `user.not-found`, `password.easy-to-guess`
   */
  async resetPassword({
    name,
    password = randomBytes(18).toString('base64url'),
    endAccess,
  }: PayloadOf<Messages, 'users.reset-password'>): Promise<ReplyOf<Messages, 'users.reset-password'>> {
    const user = await this.members.findByLogin(name.toLowerCase());
    if (!user) throw userNotFound(name);
    assertPasswordStrength(password, user);
    const passwordHash = await hashPassword(password);
    return { name: await this.members.resetPassword(name, { passwordHash, endAccess }), password };
  }

  /** Deletes a user with all data in this service, for an operator. Throws `user.not-found`. */
  deleteUser({ name }: PayloadOf<Messages, 'users.remove'>): Promise<ReplyOf<Messages, 'users.remove'>> {
    return this.members.deleteByName(name);
  }

  /**
   * Checks the password of a user and returns the user, before the personal key is shown or
   * replaced.
   *
   * @throws DomainError `password.wrong`, `sign-in.too-many`, `service.unavailable`,
   *   `user.not-found`
   */
  async authenticate(request: { userId: number; password: string | null; visitor: Visitor }): Promise<Credentials> {
    const user = await this.members.get(request.userId);
    await this.verifyCurrentPassword(user, request);
    return user;
  }

  /**
   * Checks the current password, because a session does not prove that its holder knows the
   * password. Users without a password send null.
   *
   * @throws DomainError `password.wrong`, `sign-in.too-many`, `service.unavailable`
   */
  private async verifyCurrentPassword(
    { email, passwordHash }: Credentials,
    { password, visitor }: { password: string | null; visitor: Visitor },
  ): Promise<void> {
    if (password === null && passwordHash === null) return;
    if (password === null || passwordHash === null) throw passwordWrong();
    const isCorrect = await this.limiter.check(normalizeLogin(email), visitor.address, async () =>
      (await verifyPassword(passwordHash, password)) ? true : undefined,
    );
    if (!isCorrect) throw passwordWrong();
  }
}
