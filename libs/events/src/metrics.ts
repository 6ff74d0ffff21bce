import { metricGroup } from '#observability';

/** What the relay and the consumers count, and what waits for them. */
export const eventMetrics = metricGroup((make) => ({
  lag: make.gauge(
    'outbox_oldest_seconds',
    'Age of the oldest event that is not published, 0 when there is none; each replica sees all: the maximum counts',
    'service',
  ),
  published: make.counter(
    'events_published_total',
    'Events brought to the queue of a subscriber',
    'event',
    'subscriber',
  ),
  relayFailures: make.counter('outbox_relay_failures_total', 'Rounds of the relay that failed', 'service'),
  consumed: make.counter(
    'events_consumed_total',
    'Deliveries by outcome: done, retried, failed, returned, unknown, postponed (a dependency was away)',
    'service',
    'event',
    'outcome',
  ),
  seconds: make.histogram(
    'event_consuming_seconds',
    'How long a consumer worked on one delivery',
    [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    'service',
    'event',
  ),
  jobs: make.readGauge(
    'event_queue_jobs',
    'Jobs of a subscriber by state, each of one event or of several that travel together; each consuming replica sees all: the maximum counts',
    'service',
    'state',
  ),
  waiting: make.readGauge(
    'event_worker_waiting',
    '1 while this process takes no events, or one at a time, because a dependency of its consumers is away',
    'service',
  ),
  oldestJob: make.readGauge(
    'event_queue_oldest_seconds',
    'How long ago the oldest of the next jobs in turn was made, 0 when none waits; each consuming replica sees all: the maximum counts',
    'service',
  ),
}));

export type EventMetrics = ReturnType<typeof eventMetrics>;
