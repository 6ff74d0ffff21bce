/**
 * A whole number written into a statement instead of being bound: for limits and offsets, whose size decides the plan:
 * with parameters the planner cannot tell a page from the whole table.
 *
 * @throws RangeError when it is anything but a non-negative whole number
 */
export function literal(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('a limit or offset must be a whole number');
  return String(value);
}

interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** The rows of a page, and one more that tells whether there is a next one. */
export const pageWindow = ({ limit, offset }: PageRequest): string =>
  `limit ${literal(limit + 1)} offset ${literal(offset)}`;

/** Cuts off the row that was read beyond the page. `nextOffset` is null on the last page. */
export const cutPage = <Row>(
  rows: readonly Row[],
  { limit, offset }: PageRequest,
): { shown: Row[]; nextOffset: number | null } => ({
  shown: rows.slice(0, limit),
  nextOffset: rows.length > limit ? offset + limit : null,
});
