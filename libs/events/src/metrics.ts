import { metricGroup } from '#observability';

/** Metrics of the relay, the consumers and their queues. */
export const eventMetrics = metricGroup((make) => ({
  lag: make.gauge(
    'outbox_oldest_seconds',
    'Age of the oldest unpublished event, 0 without one. Use the maximum over replicas',
    'service',
  ),
  published: make.counter(
    'events_published_total',
    'Events published to the queue of a subscriber',
    'event',
    'subscriber',
  ),
  relayFailures: make.counter('outbox_relay_failures_total', 'Failed rounds of the relay', 'service'),
  consumed: make.counter(
    'events_consumed_total',
    'Deliveries by outcome: done, retried, failed (for good), returned (at shutdown), unknown (to this version), postponed (a dependency is unavailable)',
    'service',
    'event',
    'outcome',
  ),
  seconds: make.histogram(
    'event_consuming_seconds',
    'Time in a consumer for one delivery',
    [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    'service',
    'event',
  ),
  jobs: make.readGauge(
    'event_queue_jobs',
    'Jobs of a subscriber by state, each of one event or a batch. Use the maximum over replicas',
    'service',
    'state',
  ),
  waiting: make.readGauge(
    'event_worker_waiting',
    '1 while this process takes no events, or one at a time, because a dependency is unavailable',
    'service',
  ),
  oldestJob: make.readGauge(
    'event_queue_oldest_seconds',
    'Age of the oldest of the next jobs, 0 without one. Use the maximum over replicas',
    'service',
  ),
}));

export type EventMetrics = ReturnType<typeof eventMetrics>;
