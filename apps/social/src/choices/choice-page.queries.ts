import type { PayloadOf, Services } from '#contracts';
import { literal, pageWindow, userNamed, userNotDeleted } from '#persistence';

/** Statement that selects `id, created_at` of a page, with its parameters. */
interface PageStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const newestFirst = 'order by created_at desc, id desc';

/**
 * Returns the statement for a page of the list of choices: all public ones and the viewer's own
 * secret ones, newest first, one row more than the limit. Each half reads its own partial index up
 * to the end of the page; an `or` would read all choices. Owners and counts are joined after the
 * offset, except for the condition that the owner is not deleted.
 */
export function pageOfChoices(request: PayloadOf<Services['social'], 'choices.list'>): PageStatement {
  const { viewerId, userId, userName, limit, offset } = request;
  const parameters: unknown[] = [];
  const filters: string[] = [];
  if (userId !== undefined) filters.push(`user_id = $${parameters.push(userId)}`);
  if (userName !== undefined) filters.push(`user_id = ${userNamed(`$${parameters.push(userName)}`)}`);
  const half = (...conditions: string[]): string =>
    `(select id, created_at from choices where ${[...conditions, ...filters, userNotDeleted('choices.user_id')].join(' and ')}
      ${newestFirst} limit ${literal(offset + limit + 1)})`;
  const halves = [half('not secret')];
  // A filter by another user excludes the viewer's secret choices
  if (userId === undefined || userId === viewerId)
    halves.push(half('secret', `user_id = $${parameters.push(viewerId)}`));
  return {
    sql: `select id, created_at from (${halves.join(' union all ')}) as visible ${newestFirst} ${pageWindow(request)}`,
    parameters,
  };
}
