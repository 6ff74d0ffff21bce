import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { type Credentials, MemberRepository } from '../users/member.repository.js';
import { verifyPassword } from '../users/password.crypto.js';
import { SignInRateLimiter, foldedLogin } from './sign-in.limiter.js';
import { signInRefused } from './session.errors.js';
import { SessionRepository } from './session.repository.js';
import { freshSession } from './session.rules.js';

type Messages = Services['accounts'];

@Injectable()
export class SessionService {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly members: MemberRepository,
    private readonly attempts: SignInRateLimiter,
  ) {}

  /**
   * Signs a user in by name or e-mail address. Whether there is such a user shows neither in the answer nor in its time.
   *
   * @throws DomainError `sign-in.refused`, `sign-in.too-many`
   */
  async open(request: PayloadOf<Messages, 'sessions.open'>): Promise<ReplyOf<Messages, 'sessions.open'>> {
    const { password, visitor } = request;
    const login = foldedLogin(request.login);
    const user = await this.attempts.check(login, visitor.address, () => this.prove(login, password));
    const session = freshSession(visitor.userAgent);
    if (!user || !(await this.sessions.begin(user, session))) throw signInRefused();
    return { session: session.session };
  }

  /** Ends one session. Ending it again, or one that never was, changes nothing. */
  close({ session }: PayloadOf<Messages, 'sessions.close'>): Promise<void> {
    return this.sessions.end(session);
  }

  /** The user of the login, if it is the user's password. */
  private async prove(login: string, password: string): Promise<Credentials | undefined> {
    const user = await this.members.findByLogin(login);
    return (await verifyPassword(user?.passwordHash ?? null, password)) ? user : undefined;
  }
}
