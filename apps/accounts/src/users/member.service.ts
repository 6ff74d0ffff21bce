import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services, Visitor } from '#contracts';
import type { DomainError } from '#kernel';
import { generateKey } from '../keys/key.rules.js';
import { MailLinkRepository } from '../mail/mail-link.repository.js';
import { SignInRateLimiter, normalizeLogin } from '../sessions/sign-in.limiter.js';
import { insertSession, SessionRepository } from '../sessions/session.repository.js';
import { generateSession, type NewSession } from '../sessions/session.rules.js';
import { type Credentials, MemberRepository } from './member.repository.js';
import { assertPasswordStrength, passwordRejection } from './password.rules.js';
import { hashPassword, verifyPassword } from './password.crypto.js';
import { nameMismatch, passwordWrong, rejectionOf, userNotFound } from './user.errors.js';
import { UserRepository } from './user.repository.js';

type Messages = Services['accounts'];
type SignUp = PayloadOf<Messages, 'users.sign-up'>;

interface PasswordCheck {
  /** Null for a user without a password. */
  readonly password: string | null;
  readonly visitor: Visitor;
}

/** Operations on user accounts, by their users and by operators. */
@Injectable()
export class MemberService {
  constructor(
    private readonly members: MemberRepository,
    private readonly users: UserRepository,
    private readonly limiter: SignInRateLimiter,
    private readonly links: MailLinkRepository,
    private readonly sessions: SessionRepository,
  ) {}

  /**
   * Signs up a user, with a personal API key and a session. A taken name or e-mail address is
   * reported, because the visitor has to choose another one, together with the errors of the other
   * fields. So every attempt is counted, even one with an easy password. A visitor who already has
   * an account with this name, e-mail address and password is signed in, because the form may be
   * submitted twice.
   *
   * @throws DomainError `user.name-reserved`, `user.name-taken`, `user.email-taken`,
   *   `password.easy-to-guess`, `sign-in.too-many`, `service.unavailable`
   */
  async signUp(request: SignUp): Promise<ReplyOf<Messages, 'users.sign-up'>> {
    const { visitor } = request;
    await this.limiter.signUp(visitor.address);
    const session = generateSession(visitor.userAgent);
    try {
      await this.create(request, session);
    } catch (error) {
      if (!(await this.signInExisting(request, session))) throw error;
    }
    return { session: session.session };
  }

  /** Creates a user with a session. */
  private async create(request: SignUp, session: NewSession): Promise<void> {
    const { name, email, password, visitor } = request;
    await this.checkNewUser(request);
    const passwordHash = await hashPassword(password);
    const user = { name, email, displayName: null, passwordHash };
    await this.users.create(user, generateKey(), async (tx, userId) => {
      await insertSession(tx, userId, session);
      await this.links.requestConfirmation(tx, userId, visitor.language);
    });
  }

  /**
   * Checks the valid fields of a sign-up whose other fields are invalid, so that a form shows the
   * errors of all fields. Counts as a sign-up, because it also reveals existing users.
   *
   * @throws DomainError as `signUp` does
   */
  async checkSignUp({ visitor, ...fields }: PayloadOf<Messages, 'users.check-sign-up'>): Promise<void> {
    await this.limiter.signUp(visitor.address);
    await this.checkNewUser(fields);
  }

  /** Missing fields have no errors. */
  private async checkNewUser(fields: Partial<Pick<SignUp, 'name' | 'email' | 'password'>>): Promise<void> {
    const { name = '', email = '', password } = fields;
    const rejection = rejectionOf({
      ...(await this.users.findTaken({ name, email })),
      password: password === undefined ? undefined : passwordRejection(password, { name, email }),
    });
    if (rejection) throw rejection;
  }

  /** Stores a session of the user with this name, e-mail address and password, if there is one. */
  private async signInExisting(request: SignUp, session: NewSession): Promise<boolean> {
    const { name, email } = request;
    const user = await this.members.findByLogin(normalizeLogin(email));
    if (user?.name !== name || user.email !== email) return false;
    return (await this.isCurrentPassword(user, request)) && this.sessions.create(user, session);
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
   * @throws DomainError `password.wrong`, `password.easy-to-guess`, `sign-in.too-many`,
   *   `service.unavailable`, `user.not-found`
   */
  async changePassword(
    request: PayloadOf<Messages, 'users.change-password'>,
  ): Promise<ReplyOf<Messages, 'users.change-password'>> {
    const user = await this.checkPasswords(request);
    const session = generateSession(request.visitor.userAgent);
    const passwordHash = await hashPassword(request.newPassword);
    await this.members.changePassword(user, { passwordHash, endAccess: request.endAccess }, session);
    return { session: session.session };
  }

  /**
   * Checks the current and the new password of a user, or one of them, and returns the user.
   *
   * @throws DomainError as `changePassword` does
   */
  async checkPasswords({
    userId,
    password,
    newPassword,
    visitor,
  }: PayloadOf<Messages, 'users.check-passwords'>): Promise<Credentials> {
    const user = await this.members.get(userId);
    const rejection = rejectionOf({
      password: password === undefined ? undefined : await this.currentPasswordRejection(user, { password, visitor }),
      newPassword: newPassword === undefined ? undefined : passwordRejection(newPassword, user),
    });
    if (rejection) throw rejection;
    return user;
  }

  /**
   * Deletes the account of a user who types name and password.
   *
   * @throws DomainError `user.name-differs`, `password.wrong`, `sign-in.too-many`,
   *   `service.unavailable`, `user.not-found`
   */
  async deleteAccount(request: PayloadOf<Messages, 'users.delete-account'>): Promise<void> {
    const user = await this.members.get(request.userId);
    const rejection = rejectionOf({
      name: normalizeLogin(request.name) === normalizeLogin(user.name) ? undefined : nameMismatch(),
      password: await this.currentPasswordRejection(user, request),
    });
    if (rejection) throw rejection;
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
  authenticate(request: PasswordCheck & { readonly userId: number }): Promise<Credentials> {
    return this.checkPasswords(request);
  }

  /**
   * Returns the error of a wrong current password, which is checked because a session does not
   * prove that its holder knows the password. Users without a password send null.
   *
   * @throws DomainError `sign-in.too-many`, `service.unavailable`
   */
  private async currentPasswordRejection(user: Credentials, request: PasswordCheck): Promise<DomainError | undefined> {
    return (await this.isCurrentPassword(user, request)) ? undefined : passwordWrong();
  }

  private async isCurrentPassword(
    { email, passwordHash }: Credentials,
    { password, visitor }: PasswordCheck,
  ): Promise<boolean> {
    if (password === null || passwordHash === null) return password === passwordHash;
    const isCorrect = await this.limiter.check(normalizeLogin(email), visitor.address, async () =>
      (await verifyPassword(passwordHash, password)) ? true : undefined,
    );
    return isCorrect ?? false;
  }
}
