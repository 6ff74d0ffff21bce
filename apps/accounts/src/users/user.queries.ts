import { Injectable } from '@nestjs/common';
import type { PayloadOf, ReplyOf, Services } from '#contracts';
import { cutPage, Database, pageWindow, userMembers } from '#persistence';
import { RawReply } from '#request-queue';
import { userNotFound } from './user.errors.js';

type Messages = Services['accounts'];

interface OperatorRow {
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

const asEverybodySees = `json_build_object(${userMembers('u')})::text as json`;
const asTheUserSees = `json_build_object(${userMembers('u')}, 'email', u.email)::text as json`;
const ofUser = 'from users u where id = $1 and id > 0';

// Names are found by the index on lower(name), and the name given is meant exactly
const named = 'and lower(name) = lower($1) and name = $1';

/** Users as answers. Each is one statement, and PostgreSQL writes the JSON. */
@Injectable()
export class UserQueries {
  constructor(private readonly database: Database) {}

  /** Everybody but the built-in user, newest first; with `name` the one who is called exactly so. */
  async list(request: PayloadOf<Messages, 'users.list'>): Promise<RawReply> {
    const { name } = request;
    const rows = await this.database.read<{ json: string }>(
      `select ${asEverybodySees}
       from (
         select id from users where id > 0 ${name === undefined ? '' : named}
         order by created_at desc, id desc ${pageWindow(request)}
       ) page join users u using (id)
       order by u.created_at desc, u.id desc`,
      name === undefined ? [] : [name],
    );
    const { shown, nextOffset } = cutPage(rows, request);
    const users = shown.map(({ json }) => json).join();
    return RawReply.page(`{"users":[${users}],"meta":{"hasNext":${nextOffset !== null}}}`, nextOffset);
  }

  /** Throws `user.not-found`. */
  get(userId: number): Promise<RawReply> {
    return this.answer(`select ${asEverybodySees} ${ofUser}`, userId);
  }

  /** The viewer with the e-mail address. Throws `user.not-found` when the viewer has left. */
  self(viewerId: number): Promise<RawReply> {
    return this.answer(`select ${asTheUserSees} ${ofUser}`, viewerId);
  }

  /** What an operator sees of a user; `createdAt` is ISO 8601 in UTC. Throws `user.not-found`. */
  async show(name: string): Promise<ReplyOf<Messages, 'users.show'>> {
    const [user] = await this.database.read<OperatorRow>(byName, [name]);
    if (!user) throw userNotFound(name);
    return { ...user, createdAt: user.createdAt.toISOString() };
  }

  private async answer(sql: string, userId: number): Promise<RawReply> {
    const [row] = await this.database.read<{ json: string }>(sql, [userId]);
    if (!row) throw userNotFound(userId);
    return RawReply.json(`{"user":${row.json}}`);
  }
}
