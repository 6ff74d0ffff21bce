import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { type Credentials, MemberRepository } from '../users/member.repository.js';
import { verifyPassword } from '../users/password.crypto.js';
import { SignInRateLimiter, normalizeLogin } from './sign-in.limiter.js';
import { signInRejected } from './session.errors.js';
import { SessionRepository } from './session.repository.js';
import { generateSession } from './session.rules.js';

type Messages = Services['accounts'];

@Injectable()
export class SessionService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly members: MemberRepository,
    private readonly limiter: SignInRateLimiter,
  ) {}

  /**
   * Signs a user in by name or e-mail address. Neither the response nor the response time reveals
   * if the user exists.
   *
   * @throws DomainError `sign-in.refused`, `sign-in.too-many`, `service.unavailable`
   */
  async open(request: PayloadOf<Messages, 'sessions.open'>): Promise<ReplyOf<Messages, 'sessions.open'>> {
    const { password, visitor } = request;
    const login = normalizeLogin(request.login);
    const user = await this.limiter.check(login, visitor.address, () => this.findWithPassword(login, password));
    const session = generateSession(visitor.userAgent);
    if (!user || !(await this.sessions.create(user, session))) throw signInRejected();
    return { session: session.session };
  }

  /** Closes a session. An unknown or closed session is no error. */
  close({ session }: PayloadOf<Messages, 'sessions.close'>): Promise<void> {
    return this.sessions.delete(session);
  }

  /** Returns the user of the login if the password is right, otherwise undefined. */
  private async findWithPassword(login: string, password: string): Promise<Credentials | undefined> {
    const user = await this.members.findByLogin(login);
    return (await verifyPassword(user?.passwordHash ?? null, password)) ? user : undefined;
  }
}
