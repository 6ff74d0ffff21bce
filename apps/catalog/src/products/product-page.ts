import { type PayloadOf, type Services } from '#contracts';
import { literal } from '../sql.js';

/** A statement that selects `id, created_at` of a page, and what is bound in it. */
export interface PageStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const newestFirst = 'order by created_at desc, id desc';

/**
 * The page of ids of a product list: what everybody may see and the viewer's own that others may not, newest first,
 * one row more than asked. Each half walks its own partial index no further than the page reaches, which is why they
 * are two selects and not an `or`; the joins come after the offset (35 times faster at offset 100,000).
 */
export function pageOfProducts(request: PayloadOf<Services['catalog'], 'products.list'>): PageStatement {
  const { viewerId, limit, offset } = request;
  const { filters, parameters } = filtersOf(request);
  const reach = literal(offset + limit + 1);
  const half = (visibility: string): string =>
    `(select id, created_at from products where ${[visibility, ...filters].join(' and ')} ${newestFirst} limit ${reach})`;
  const window = `limit ${literal(limit + 1)} offset ${literal(offset)}`;
  // Nobody's own drafts are among another user's products
  const drafts = request.userId === undefined || request.userId === viewerId;
  const halves = drafts
    ? [half('listed'), half(`not listed and user_id = $${parameters.push(viewerId)}`)]
    : [half('listed')];
  return {
    sql: `select id, created_at from (${halves.join(' union all ')}) as visible ${newestFirst} ${window}`,
    parameters,
  };
}

// Names are found by an index on lower(name), and the name given is meant exactly
const isNamed = (name: string): string => `lower(name) = lower(${name}) and name = ${name}`;

function filtersOf(request: PayloadOf<Services['catalog'], 'products.list'>): {
  filters: string[];
  parameters: unknown[];
} {
  const filters: string[] = [];
  const parameters: unknown[] = [];
  const filter = (value: unknown, condition: (bound: string) => string): void => {
    if (value !== undefined) filters.push(condition(`$${parameters.push(value)}`));
  };
  filter(request.itemId, (id) => `item_id = ${id}`);
  filter(request.userId, (id) => `user_id = ${id}`);
  filter(request.userName, (name) => `user_id = (select id from accounts.users where ${isNamed(name)})`);
  filter(request.materialId, (id) => `material_id = ${id}`);
  return { filters, parameters };
}
