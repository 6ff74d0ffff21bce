import { Injectable } from '@nestjs/common';
import type { Application, PayloadOf, ReplyOf, Services } from '#contracts';
import { Database } from '#persistence';
import { userNotFound } from '../users/user.errors.js';
import { applicationNotFound } from './application.errors.js';

type Messages = Services['accounts'];
type OperatorApplication = ReplyOf<Messages, 'applications.show'>;

type Row<Shown> = Omit<Shown, 'createdAt'> & { readonly createdAt: Date };

const columns = `
  a.id, a.client_id as "clientId", a.name, a.description, a.home_page as "homePage",
  a.redirect_uris as "redirectUris", a.scopes, a.names_issuer as "namesIssuer", a.confidential, a.created_at as "createdAt",
  (select count(*) from consents where application_id = a.id) as users`;
const newestFirst = 'order by a.created_at desc, a.id desc';

const toReply = <Kind extends Application>(row: Row<Kind>) => ({ ...row, createdAt: row.createdAt.toISOString() });

/** Maximum length of a list for operators. */
const operatorLimit = 200;

/** Reads applications for their owners and operators. Each method runs one statement. */
@Injectable()
export class ApplicationQueries {
  constructor(private readonly database: Database) {}

  /** Returns the applications of a user, newest first. */
  async list({ ownerId }: PayloadOf<Messages, 'applications.list'>): Promise<Application[]> {
    const rows = await this.database.query<Row<Application>>(
      `select ${columns} from applications a where owner_id = $1 ${newestFirst}`,
      [ownerId],
    );
    return rows.map(toReply);
  }

  /** Returns an application. Throws `application.not-found`, also for one of another user. */
  async get({ ownerId, applicationId }: PayloadOf<Messages, 'applications.get'>): Promise<Application> {
    const [row] = await this.database.query<Row<Application>>(
      `select ${columns} from applications a where id = $1 and owner_id = $2`,
      [applicationId, ownerId],
    );
    if (!row) throw applicationNotFound(applicationId);
    return toReply(row);
  }

  /**
   * Returns at most 200 applications, of all users or of the named user, newest first. Throws
   * `user.not-found`.
   */
  async find({ ownerName }: PayloadOf<Messages, 'applications.find'>): Promise<OperatorApplication[]> {
    // The outer join distinguishes a user without applications from an unknown user
    const from = ownerName === undefined ? 'applications a join users u' : 'users u left join applications a';
    const named = ownerName === undefined ? '' : 'where lower(u.name) = lower($1) and u.id > 0';
    const rows = await this.database.query<Row<OperatorApplication>>(
      `select ${columns}, u.name as "ownerName" from ${from} on u.id = a.owner_id ${named}
       ${newestFirst} limit ${operatorLimit}`,
      ownerName === undefined ? [] : [ownerName],
    );
    if (ownerName !== undefined && rows.length === 0) throw userNotFound(ownerName);
    return rows.filter(({ clientId }) => clientId).map(toReply);
  }

  /** Returns an application for operators. Throws `application.not-found`. */
  async show({ applicationId }: PayloadOf<Messages, 'applications.show'>): Promise<OperatorApplication> {
    const [row] = await this.database.query<Row<OperatorApplication>>(
      `select ${columns}, u.name as "ownerName" from applications a join users u on u.id = a.owner_id where a.id = $1`,
      [applicationId],
    );
    if (!row) throw applicationNotFound(applicationId);
    return toReply(row);
  }
}
