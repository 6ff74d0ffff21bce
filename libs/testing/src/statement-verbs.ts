import type { QueryConfig } from 'pg';

/**
 * Returns the first word of each statement in lower case, including those that begin and end
 * transactions.
 *
 * @param calls calls of `query` of a pg.Client
 */
export const statementVerbs = (calls: readonly (readonly unknown[])[]): string[] =>
  calls.map(([statement]) => {
    const text = typeof statement === 'string' ? statement : (statement as QueryConfig).text;
    return text.trim().split(/\s/, 1)[0]!.toLowerCase();
  });
