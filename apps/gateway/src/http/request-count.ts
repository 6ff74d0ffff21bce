import type { FastifyReply, FastifyRequest } from 'fastify';
import { httpMetrics } from './http-metrics.js';

/** Under the pattern of its route, never under its address, of which there is no end. */
export function countRequest(
  { method, routeOptions }: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
): void {
  const { requests, seconds } = httpMetrics();
  const route = routeOptions.url ?? 'none';
  requests.inc({ method, route, status: statusCode });
  seconds.observe({ route }, elapsedTime / 1_000);
}
