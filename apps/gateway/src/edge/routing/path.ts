import type { FastifyRequest } from 'fastify';

/** Returns the normalized path of a routed request, safe for headers. */
export function pathOf({ routeOptions, params }: FastifyRequest): string {
  const values = params as Record<string, string>;
  return (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** Returns the path of the base URL, the prefix of links on pages. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '');
