import type { FastifyRequest } from 'fastify';
import { offsetText, problems } from '#contracts';
import { DomainError } from '#kernel';
import { queryOf } from '../../edge/bodies/form-body.js';

/** How many products a page shows: rows of 2, 3 or 4 come out even. */
export const pageLimit = 24;

/** Links to the pages before and after a page of a list; null where there is none. */
interface Pager {
  readonly previous: string | null;
  readonly next: string | null;
}

/**
 * How many entries the page of a list skips.
 *
 * @throws DomainError `request.invalid`
 */
export function offsetOf(request: FastifyRequest): number {
  const offset = offsetText.safeParse(queryOf(request).given.offset);
  if (offset.success) return offset.data;
  const message = 'must be a non-negative integer';
  throw new DomainError(problems['request.invalid'], `query.offset ${message}.`, [{ path: 'query.offset', message }]);
}

/** @param path of the list, with the base path and a query of its own where it has one */
export function pagerOf(path: string, offset: number, hasNext: boolean): Pager {
  const at = (start: number): string =>
    start === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}offset=${start}`;
  return {
    previous: offset > 0 ? at(Math.max(0, offset - pageLimit)) : null,
    next: hasNext ? at(offset + pageLimit) : null,
  };
}
