import type { FastifyRequest } from 'fastify';
import { problems } from '#contracts';
import { DomainError } from '#kernel';

const headerNames = ['sec-purpose', 'purpose', 'x-moz'] as const;

/**
 * Rejects HEAD requests and prefetches of pages whose GET has side effects: HEAD must have none,
 * and a prefetched page may never be displayed.
 *
 * @param allow methods of the path
 * @throws DomainError
 */
export function rejectPrefetch({ method, headers }: FastifyRequest, allow: string): void {
  if (method === 'HEAD')
    throw new DomainError(problems['request.method-not-allowed'], 'Use GET.', undefined, { allow });
  if (headerNames.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? ''))))
    throw new DomainError(problems['request.invalid'], 'This page must not be prefetched.');
}
