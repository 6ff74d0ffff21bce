import { Counter, Gauge, Histogram, type Metric, register, type Registry } from 'prom-client';

/** The metric of that name in the registry, made at first use: several parts of one process share it. */
function metricOf<Kind extends Metric>(registry: Registry, name: string, make: () => Kind): Kind {
  return (registry.getSingleMetric(name) as Kind | undefined) ?? make();
}

const counter = <Label extends string>(registry: Registry, name: string, help: string, labelNames: Label[]) =>
  metricOf(registry, name, () => new Counter({ name, help, labelNames, registers: [registry] }));

/** What the relay and the consumers count. */
export function eventMetrics(registry: Registry = register) {
  return {
    lag: metricOf(
      registry,
      'outbox_oldest_seconds',
      () =>
        new Gauge({
          name: 'outbox_oldest_seconds',
          help: 'Age of the oldest event that is not published',
          labelNames: ['service'],
          registers: [registry],
        }),
    ),
    published: counter(registry, 'events_published_total', 'Events brought to the queue of a subscriber', [
      'event',
      'subscriber',
    ]),
    relayFailures: counter(registry, 'outbox_relay_failures_total', 'Rounds of the relay that failed', ['service']),
    consumed: counter(
      registry,
      'events_consumed_total',
      'Deliveries by outcome: done, retried, failed, returned, unknown',
      ['service', 'event', 'outcome'],
    ),
    seconds: metricOf(
      registry,
      'event_consuming_seconds',
      () =>
        new Histogram({
          name: 'event_consuming_seconds',
          help: 'How long a consumer worked on one delivery',
          labelNames: ['service', 'event'],
          buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
          registers: [registry],
        }),
    ),
  };
}

export type EventMetrics = ReturnType<typeof eventMetrics>;
