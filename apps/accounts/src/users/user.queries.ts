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

/** Users without the built-in one, for operators. */
const operatorUsers = `
  select id, name, email, display_name as "displayName", official, created_at as "createdAt"
  from users
  where id > 0`;

const ofRow = (row: OperatorRow): ReplyOf<Messages, 'users.show'> => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
});

const publicUser = `json_build_object(${userMembers('u')})::text as json`;
const ownUser = `json_build_object(${userMembers('u')}, 'email', u.email)::text as json`;
const fromUserById = 'from users u where id = $1 and id > 0';

// The index is on lower(name); the second condition makes the match exact
const withName = 'and lower(name) = lower($1) and name = $1';

/** Reads users. Each method runs one statement. PostgreSQL serializes the responses of the API. */
@Injectable()
export class UserQueries {
  constructor(private readonly database: Database) {}

  /**
   * Returns all users but the built-in one, newest first; with `name` the user with exactly this
   * name.
   */
  async list(request: PayloadOf<Messages, 'users.list'>): Promise<RawReply> {
    const { name } = request;
    const rows = await this.database.read<{ json: string }>(
      `select ${publicUser}
       from (
         select id from users where id > 0 ${name === undefined ? '' : withName}
         order by created_at desc, id desc ${pageWindow(request)}
       ) page join users u using (id)
       order by u.created_at desc, u.id desc`,
      name === undefined ? [] : [name],
    );
    const { shown, nextOffset } = cutPage(rows, request);
    const users = shown.map(({ json }) => json).join();
    return RawReply.page(`{"users":[${users}],"meta":{"hasNext":${nextOffset !== null}}}`, nextOffset);
  }

  /** Returns a user without the e-mail address. Throws `user.not-found`. */
  get(userId: number): Promise<RawReply> {
    return this.userReply(`select ${publicUser} ${fromUserById}`, userId);
  }

  /**
   * Returns the viewer with the e-mail address. Throws `user.not-found` when the viewer is deleted.
   */
  self(viewerId: number): Promise<RawReply> {
    return this.userReply(`select ${ownUser} ${fromUserById}`, viewerId);
  }

  /** Returns a user by name, given in any case, for operators. Throws `user.not-found`. */
  async show(name: string): Promise<ReplyOf<Messages, 'users.show'>> {
    const [user] = await this.database.read<OperatorRow>(`${operatorUsers} and lower(name) = lower($1)`, [name]);
    if (!user) throw userNotFound(name);
    return ofRow(user);
  }

  /**
   * Returns a page of users for operators, newest first. With `text`: users whose name contains it,
   * or whose e-mail address equals it, ignoring case.
   */
  async find(request: PayloadOf<Messages, 'users.find'>): Promise<ReplyOf<Messages, 'users.find'>> {
    const { text } = request;
    const found = text === undefined ? '' : 'and (strpos(lower(name), lower($1)) > 0 or lower(email) = lower($1))';
    const rows = await this.database.read<OperatorRow>(
      `${operatorUsers} ${found} order by created_at desc, id desc ${pageWindow(request)}`,
      text === undefined ? [] : [text],
    );
    const { shown, nextOffset } = cutPage(rows, request);
    return { users: shown.map(ofRow), nextOffset };
  }

  private async userReply(sql: string, userId: number): Promise<RawReply> {
    const [row] = await this.database.read<{ json: string }>(sql, [userId]);
    if (!row) throw userNotFound(userId);
    return RawReply.json(`{"user":${row.json}}`);
  }
}
