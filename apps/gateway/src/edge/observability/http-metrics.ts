import { metricGroup, durationBucketsSeconds } from '#observability';

/** Metrics of HTTP requests and responses. */
export const httpMetrics = metricGroup((make) => ({
  requests: make.counter(
    'gateway_http_requests_total',
    'Requests by route pattern, `none` without a route. 304: the client has the response cached',
    'method',
    'route',
    'status',
  ),
  seconds: make.histogram(
    'gateway_http_request_seconds',
    'Time from the head of a request to the last byte of its response; slow clients prolong it',
    durationBucketsSeconds,
    'route',
  ),
  open: make.readGauge('gateway_http_open_requests', 'Open requests: calls, images, uploads', 'kind'),
  allowed: make.readGauge('gateway_http_allowed_requests', 'Current limit of open requests', 'kind'),
  rejected: make.counter(
    'gateway_http_rejected_total',
    'Rejections before any work: too many open requests (calls, images, uploads), connections closed above a limit (connections), malformed HTTP (malformed)',
    'reason',
  ),
  streams: make.readGauge(
    'gateway_event_streams',
    'Open event streams; `gateway_http_request_seconds` does not include them',
  ),
  connections: make.readGauge('gateway_http_connections', 'Client connections'),
  sentBytes: make.readCounter('gateway_http_sent_bytes_total', 'Bytes written to client connections'),
  receivedBytes: make.readCounter('gateway_http_received_bytes_total', 'Bytes read from client connections'),
}));
