import { metricGroup } from '#observability';

/** Metrics of webhooks. */
export const deliveryMetrics = metricGroup((make) => ({
  ended: make.counter(
    'webhook_deliveries_total',
    'Ended deliveries by outcome: succeeded, failed (after the last attempt), cancelled (no longer permitted)',
    'outcome',
  ),
  attempts: make.histogram(
    'webhook_attempt_seconds',
    'Time of an attempt, by result: success or the class of the failure',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    'result',
  ),
  delay: make.histogram(
    'webhook_delay_seconds',
    'Time from the append of an event to its first attempt at an endpoint',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600],
  ),
  pending: make.readGauge(
    'webhook_deliveries_pending',
    'Pending deliveries to enabled endpoints. Use the maximum over replicas',
  ),
  oldestDue: make.readGauge(
    'webhook_delivery_oldest_due_seconds',
    'Delay of the oldest due delivery to an endpoint without failures, 0 without one. Use the maximum over replicas',
  ),
  openCircuits: make.readGauge(
    'webhook_circuits_open',
    'Enabled endpoints without attempts because of failures. Use the maximum over replicas',
  ),
  disabled: make.readGauge('webhook_endpoints_disabled', 'Disabled endpoints. Use the maximum over replicas'),
}));
