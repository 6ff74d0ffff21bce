import { Injectable } from '@nestjs/common';
import { Database } from '#persistence';

interface IdentityRow {
  id: number;
  provider: string;
  nickname: string | null;
}

@Injectable()
export class IdentityQueries {
  constructor(private readonly database: Database) {}

  /** Returns the identities of a user in the order in which they were linked. */
  list(userId: number): Promise<IdentityRow[]> {
    return this.database.query('select id, provider, nickname from identities where user_id = $1 order by id', [
      userId,
    ]);
  }
}
