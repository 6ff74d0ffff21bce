import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isReservedName, type PayloadOf, type ReplyOf, type Services, type Visitor } from '#contracts';
import { freshKey } from '../keys/key.rules.js';
import { SignInRateLimiter, foldedLogin } from '../sessions/sign-in.limiter.js';
import { beginSession } from '../sessions/session.repository.js';
import { freshSession } from '../sessions/session.rules.js';
import { type Credentials, MemberRepository } from './member.repository.js';
import { checkPassword } from './password.rules.js';
import { hashPassword, verifyPassword } from './password.crypto.js';
import { nameDiffers, nameReserved, passwordWrong, userNotFound } from './user.errors.js';
import { UserRepository } from './user.repository.js';

type Messages = Services['accounts'];

/** What people do at their own account, and an operator in their stead. */
@Injectable()
export class MemberService {
  constructor(
    private readonly members: MemberRepository,
    private readonly users: UserRepository,
    private readonly attempts: SignInRateLimiter,
  ) {}

  /**
   * A new user with a personal API key, signed in. A name or an address that is taken is said: it could not be used
   * otherwise. The time says no more, as the password is hashed before the indexes decide.
   *
   * @throws DomainError `user.name-reserved`, `user.name-taken`, `user.email-taken`, `password.easy-to-guess`,
   *   `sign-in.too-many`
   */
  async signUp(request: PayloadOf<Messages, 'users.sign-up'>): Promise<ReplyOf<Messages, 'users.sign-up'>> {
    const { name, email, password, visitor } = request;
    if (isReservedName(name)) throw nameReserved(name);
    checkPassword(password, request);
    await this.attempts.signUp(visitor.address);
    const passwordHash = await hashPassword(password);
    const session = freshSession(visitor.userAgent);
    const user = { name, email, displayName: null, passwordHash };
    await this.users.create(user, freshKey(), (tx, userId) => beginSession(tx, userId, session));
    return { session: session.session };
  }

  /** @throws DomainError `password.wrong`, `sign-in.too-many`, `user.email-taken`, `user.not-found` */
  async changeEmail(request: PayloadOf<Messages, 'users.change-email'>): Promise<void> {
    const user = await this.prove(request);
    await this.attempts.changeEmail(request.visitor.address);
    await this.members.changeEmail(user, request.email);
  }

  /**
   * Ends every session of the user and opens a new one. Tokens stay unless `endAccess` is set: they were given to programs,
   * which never had the password. Anyone with the password may have made some, or have read the personal key.
   *
   * @throws DomainError `password.easy-to-guess`, `password.wrong`, `sign-in.too-many`, `user.not-found`
   */
  async changePassword(
    request: PayloadOf<Messages, 'users.change-password'>,
  ): Promise<ReplyOf<Messages, 'users.change-password'>> {
    const user = await this.members.get(request.userId);
    checkPassword(request.newPassword, user);
    await this.confirm(user, request);
    const session = freshSession(request.visitor.userAgent);
    const passwordHash = await hashPassword(request.newPassword);
    await this.members.changePassword(user, { passwordHash, endAccess: request.endAccess }, session);
    return { session: session.session };
  }

  /** @throws DomainError `user.name-differs`, `password.wrong`, `sign-in.too-many`, `user.not-found` */
  async leave(request: PayloadOf<Messages, 'users.leave'>): Promise<void> {
    const user = await this.members.get(request.userId);
    if (foldedLogin(request.name) !== foldedLogin(user.name)) throw nameDiffers();
    await this.confirm(user, request);
    await this.members.leave(user);
  }

  /**
   * By an operator: another password, a random one of 144 bits when none is given. Ends every session of the user; with
   * `endAccess` also consents and tokens, and replaces the personal key.
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
    checkPassword(password, user);
    const passwordHash = await hashPassword(password);
    return { name: await this.members.resetPassword(name, { passwordHash, endAccess }), password };
  }

  /** By an operator: the user and everything that is theirs. Throws `user.not-found`. */
  remove({ name }: PayloadOf<Messages, 'users.remove'>): Promise<ReplyOf<Messages, 'users.remove'>> {
    return this.members.remove(name);
  }

  /**
   * Returns the user after a check of the password, before the personal key is shown or replaced.
   *
   * @throws DomainError `password.wrong`, `sign-in.too-many`, `user.not-found`
   */
  async prove(request: { userId: number; password: string | null; visitor: Visitor }): Promise<Credentials> {
    const user = await this.members.get(request.userId);
    await this.confirm(user, request);
    return user;
  }

  /** Checks the present password, which a signed-in browser does not prove. Users without one send null. */
  private async confirm(
    { email, passwordHash }: Credentials,
    { password, visitor }: { password: string | null; visitor: Visitor },
  ): Promise<void> {
    if (password === null && passwordHash === null) return;
    if (password === null || passwordHash === null) throw passwordWrong();
    const isRight = await this.attempts.check(foldedLogin(email), visitor.address, async () =>
      (await verifyPassword(passwordHash, password)) ? true : undefined,
    );
    if (!isRight) throw passwordWrong();
  }
}
