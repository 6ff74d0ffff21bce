import { Injectable } from '@nestjs/common';
import type { ReplyOf, Services, SessionUser } from '#contracts';
import { Database } from '#persistence';
import { hashToken } from '../tokens/token.crypto.js';

const userOfSession = `
  select u.id, u.name, u.display_name as "displayName", u.email, u.password_hash is not null as "hasPassword",
    s.created_at > now() - interval '10 minutes' as "isRecent", u.email_confirmed_at is not null as "emailConfirmed"
  from sessions s join users u on u.id = s.user_id
  where s.hash = $1 and s.expires_at > now()`;

@Injectable()
export class SessionQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns the user of a session with one statement. Unknown and expired sessions are inactive.
   */
  async show(session: string): Promise<ReplyOf<Services['accounts'], 'sessions.show'>> {
    const [user] = await this.database.read<SessionUser>(userOfSession, [hashToken(session)]);
    return user ? { active: true, user } : { active: false };
  }
}
