import type pg from 'pg';
import { openDatabase } from '../connections/database.js';
import { readEnv } from '../env.js';

/** Sessions in two databases, as the owner of all schemas in each. */
export interface Ends {
  readonly from: pg.Client;
  readonly to: pg.Client;
  /** URL of `from`. */
  readonly url: string;
  readonly rolesSecret: string | undefined;
}

/**
 * Runs `work` with sessions in the two databases of the environment. @throws Error with a one-line
 * message
 */
export async function withEnds<R>(work: (ends: Ends) => Promise<R>): Promise<R> {
  const { DATABASE_URL: url, RECEIVING_DATABASE_URL: toUrl, DATABASE_ROLES_SECRET: secret } = readEnv();
  if (url === undefined || toUrl === undefined)
    throw new Error('Set both DATABASE_URL, the source of the tables, and RECEIVING_DATABASE_URL, their target.');
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
