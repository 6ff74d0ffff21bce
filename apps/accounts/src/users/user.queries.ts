import { Injectable } from '@nestjs/common';
import type { accountsMessages, ReplyOf } from '#contracts';
import { Database } from '#persistence';
import { userNotFound } from './user.errors.js';

interface Row {
  id: number;
  name: string;
  email: string;
  displayName: string | null;
  official: boolean;
  createdAt: Date;
}

/** By name in any case, and never the built-in user. */
const byName = `
  select id, name, email, display_name as "displayName", official, created_at as "createdAt"
  from users
  where lower(name) = lower($1) and id > 0`;

@Injectable()
export class UserQueries {
  constructor(private readonly database: Database) {}

  /** What an operator sees of a user; `createdAt` is ISO 8601 in UTC. Throws `user.not-found`. */
  async show(name: string): Promise<ReplyOf<typeof accountsMessages, 'users.show'>> {
    const [user] = await this.database.query<Row>(byName, [name]);
    if (!user) throw userNotFound(name);
    return { ...user, createdAt: user.createdAt.toISOString() };
  }
}
