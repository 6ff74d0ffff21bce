import { metricGroup, usualSeconds } from '#observability';

/** What clients ask, and what they get. */
export const httpMetrics = metricGroup((make) => ({
  requests: make.counter(
    'gateway_http_requests_total',
    'Requests that were routed, by the pattern of their route; 304 are answers that the client had already',
    'method',
    'route',
    'status',
  ),
  seconds: make.histogram(
    'gateway_http_request_seconds',
    'From the head of a request to the last byte of its answer, which a slow client makes long',
    usualSeconds,
    'route',
  ),
  open: make.readGauge('gateway_http_open_requests', 'Requests that are not answered to their end', 'kind'),
  allowed: make.readGauge('gateway_http_allowed_requests', 'Requests that may be open now', 'kind'),
  refused: make.counter(
    'gateway_http_refused_total',
    'Rejected before anything was done: too many open requests (calls, pictures, uploads), connections closed because an address or all had too many (connections), what is not HTTP (unreadable)',
    'reason',
  ),
  connections: make.readGauge('gateway_http_connections', 'Connections of clients'),
  sentBytes: make.readCounter('gateway_http_sent_bytes_total', 'Written to connections of clients'),
  receivedBytes: make.readCounter('gateway_http_received_bytes_total', 'Read from connections of clients'),
}));
