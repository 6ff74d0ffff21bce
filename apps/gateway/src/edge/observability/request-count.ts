import type { FastifyReply } from 'fastify';
import { httpMetrics } from './http-metrics.js';

/** @param route its pattern, never its address, of which there is no end */
export function countRequest(method: string, route = 'none', { statusCode, elapsedTime }: FastifyReply): void {
  const { requests, seconds } = httpMetrics();
  requests.inc({ method, route, status: statusCode });
  seconds.observe({ route }, elapsedTime / 1_000);
}
