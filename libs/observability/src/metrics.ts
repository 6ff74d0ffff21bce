import { Counter, Gauge, Histogram, type LabelValues, register, type Registry } from 'prom-client';

/** Reads a value on scrape. Undefined values are omitted. */
type Read = () => number | undefined | Promise<number | undefined>;

/**
 * Metric that is read on scrape, without cost in between. Readings with the same labels are added
 * up.
 */
interface ReadMetric<Label extends string> {
  /** @returns a function that removes the reading */
  readonly watch: (labels: LabelValues<Label>, read: Read) => () => void;
}

interface Reading<Label extends string> {
  readonly labels: LabelValues<Label>;
  readonly read: Read;
}

/**
 * Returns the factories of metrics, with the parameters name, help, labels. Values are seconds,
 * bytes and counts only; names of counters end in `_total`.
 */
function metricFactories(registry: Registry) {
  const registers = [registry];

  const read = <Label extends string>(
    make: (collect: () => Promise<void>) => Pick<Gauge<Label>, 'reset' | 'inc'>,
  ): ReadMetric<Label> => {
    const readings = new Set<Reading<Label>>();
    const metric = make(async () => {
      const all = await Promise.all([...readings].map(async ({ labels, read }) => ({ labels, value: await read() })));
      metric.reset();
      for (const { labels, value } of all) if (value !== undefined) metric.inc(labels, value);
    });
    return {
      watch: (labels, read) => {
        const reading = { labels, read };
        readings.add(reading);
        return () => void readings.delete(reading);
      },
    };
  };

  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
    readGauge: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      read<Label>((collect) => new Gauge({ name, help, labelNames, registers, collect })),
    readCounter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      read<Label>((collect) => new Counter({ name, help, labelNames, registers, collect })),
  };
}

type MetricFactories = ReturnType<typeof metricFactories>;

/**
 * Defines a group of metrics, created on first use and once per registry. The default is the
 * registry of the process, which `/metrics` returns; tests pass their own.
 */
export function metricGroup<Group>(create: (make: MetricFactories) => Group): (registry?: Registry) => Group {
  const groups = new WeakMap<Registry, Group>();
  return (registry = register) => {
    let group = groups.get(registry);
    if (!group) groups.set(registry, (group = create(metricFactories(registry))));
    return group;
  };
}

/** Upper bounds of histogram buckets for durations from a millisecond to half a minute. */
export const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
