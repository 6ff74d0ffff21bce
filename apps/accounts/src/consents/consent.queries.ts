import { Injectable } from '@nestjs/common';
import type { Consent } from '#contracts';
import { Database } from '#persistence';

type Row = Omit<Consent, 'since' | 'lastUsedAt'> & { readonly since: Date; readonly lastUsedAt: Date | null };

@Injectable()
export class ConsentQueries {
  constructor(private readonly database: Database) {}

  /** Returns the consents of a user, newest first, with one statement. */
  async list(userId: number): Promise<Consent[]> {
    const rows = await this.database.query<Row>(
      `select a.id as "applicationId", a.name, a.description, a.home_page as "homePage", c.scopes, c.created_at as since,
         c.last_used_at as "lastUsedAt"
       from consents c join applications a on a.id = c.application_id
       where c.user_id = $1
       order by c.created_at desc, a.id desc`,
      [userId],
    );
    return rows.map((row) => ({
      ...row,
      since: row.since.toISOString(),
      lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    }));
  }
}
