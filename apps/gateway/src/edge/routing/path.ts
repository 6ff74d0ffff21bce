import type { FastifyRequest } from 'fastify';

/** The path of a request as its route writes it: the same however a client spells it, and safe in a header. */
export function pathOf({ routeOptions, params }: FastifyRequest): string {
  const values = params as Record<string, string>;
  return (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** The path of the base address, in front of what a page links to. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '');
