import { operations } from '#contracts';
import type { CompletedRequest } from './completed-request.js';
import { httpMetrics } from './http-metrics.js';

/** Counts a request. */
export function countRequest({ method, route = 'none', status, elapsedMs }: CompletedRequest): void {
  const { requests, seconds } = httpMetrics();
  requests.inc({ method, route, status });
  // The duration of a stream is that of its use
  if (route !== operations['events.stream'].path) seconds.observe({ route }, elapsedMs / 1_000);
}
