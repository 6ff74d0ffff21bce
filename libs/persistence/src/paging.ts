/**
 * Returns a limit or offset as SQL. Limits and offsets are written into the statement instead of
 * being bound, because their size decides the plan: with parameters the planner cannot distinguish
 * a page from the whole table.
 *
 * @throws RangeError unless the value is a non-negative integer
 */
export function literal(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError('a limit or offset must be a non-negative integer');
  return String(value);
}

interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** SQL of a page's limit and offset, with one more row, which exists if there is a next page. */
export const pageWindow = ({ limit, offset }: PageRequest): string =>
  `limit ${literal(limit + 1)} offset ${literal(offset)}`;

/** Removes the row beyond the page. `nextOffset` is null on the last page. */
export const cutPage = <Row>(
  rows: readonly Row[],
  { limit, offset }: PageRequest,
): { shown: Row[]; nextOffset: number | null } => ({
  shown: rows.slice(0, limit),
  nextOffset: rows.length > limit ? offset + limit : null,
});
