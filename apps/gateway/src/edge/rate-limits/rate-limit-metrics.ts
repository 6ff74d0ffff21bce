import { metricGroup } from '#observability';

/** How limited operations are asked for. */
export const rateLimitMetrics = metricGroup((make) => ({
  requests: make.counter(
    'gateway_rate_limited_requests_total',
    'Requests of limited operations by outcome: counted, refused, uncounted (allowed, because Redis is unavailable)',
    'operation',
    'outcome',
  ),
}));
