import type { FastifyReply } from 'fastify';
import { operations } from '#contracts';
import { httpMetrics } from './http-metrics.js';

/** Counts a request. @param route route pattern, never the URL, which is unbounded */
export function countRequest(method: string, route = 'none', { statusCode, elapsedTime }: FastifyReply): void {
  const { requests, seconds } = httpMetrics();
  requests.inc({ method, route, status: statusCode });
  // The duration of a stream is that of its use
  if (route !== operations['events.stream'].path) seconds.observe({ route }, elapsedTime / 1_000);
}
