import { metricGroup } from '#observability';

/** How limited operations are asked for. */
export const rateLimitMetrics = metricGroup((make) => ({
  requests: make.counter(
    'gateway_rate_limited_requests_total',
    'Requests of limited operations by outcome: counted, refused, or not counted (and allowed) because Redis was away',
    'operation',
    'outcome',
  ),
}));
