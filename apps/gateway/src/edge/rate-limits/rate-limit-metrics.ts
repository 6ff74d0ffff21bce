import { metricGroup } from '#observability';

/** Metrics of rate-limited operations. */
export const rateLimitMetrics = metricGroup((make) => ({
  requests: make.counter(
    'gateway_rate_limited_requests_total',
    'Requests of limited operations by outcome: counted, rejected, uncounted (allowed, because Redis is unavailable)',
    'operation',
    'outcome',
  ),
}));
