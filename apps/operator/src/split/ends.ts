import type pg from 'pg';
import { openDatabase } from '../connections/database.js';
import { readEnv } from '../env.js';

/** Two databases, as the owner of all schemas in each. */
export interface Ends {
  readonly from: pg.Client;
  readonly to: pg.Client;
  /** Of `from`. */
  readonly url: string;
  readonly rolesSecret: string | undefined;
}

/** Does something between the two databases of the environment. @throws Error with one line for people */
export async function withEnds<R>(work: (ends: Ends) => Promise<R>): Promise<R> {
  const { DATABASE_URL: url, RECEIVING_DATABASE_URL: toUrl, DATABASE_ROLES_SECRET: secret } = readEnv();
  if (url === undefined || toUrl === undefined)
    throw new Error('DATABASE_URL says where tables come from, and RECEIVING_DATABASE_URL where they go to: set both.');
  const from = await openDatabase(url, 'storefront-split');
  try {
    const to = await openDatabase(toUrl, 'storefront-split');
    try {
      return await work({ from, to, url, rolesSecret: secret });
    } finally {
      await to.end();
    }
  } finally {
    await from.end();
  }
}
