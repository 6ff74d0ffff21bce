import type { FastifyRequest } from 'fastify';
import { offsetText, problems } from '#contracts';
import { DomainError } from '#kernel';
import { queryOf } from '../../edge/bodies/form-body.js';
import { SeeOther } from '../pages/see-other.js';

/** Number of products per page: divisible by 2, 3 and 4, so that every row is full. */
export const pageLimit = 24;

/** Links to the previous and next page of a list; null if there is none. */
interface Pager {
  readonly previous: string | null;
  readonly next: string | null;
}

/**
 * Returns the number of entries that the page of a list skips.
 *
 * @throws DomainError `request.invalid`
 */
export function offsetOf(request: FastifyRequest): number {
  const offset = offsetText.safeParse(queryOf(request).given.offset);
  if (offset.success) return offset.data;
  const message = 'must be a non-negative integer';
  throw new DomainError(problems['request.invalid'], `query.offset ${message}.`, [{ path: 'query.offset', message }]);
}

/**
 * Redirects from a page behind the end of a list to the first page, as after the last entry of a
 * page was removed.
 *
 * @throws SeeOther
 */
export function skipEmptyPage({ url }: FastifyRequest, offset: number, entries: readonly unknown[]): void {
  if (offset === 0 || entries.length > 0) return;
  const [path, query = ''] = url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  parameters.delete('offset');
  throw new SeeOther(parameters.size === 0 ? path! : `${path}?${parameters.toString()}`);
}

/** @param path path of the list, with the base path and an optional query */
export function pagerOf(path: string, offset: number, hasNext: boolean): Pager {
  const at = (start: number): string =>
    start === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}offset=${start}`;
  return {
    previous: offset > 0 ? at(Math.max(0, offset - pageLimit)) : null,
    next: hasNext ? at(offset + pageLimit) : null,
  };
}
