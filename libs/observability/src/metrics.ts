import { Counter, Gauge, Histogram, type LabelValues, register, type Registry } from 'prom-client';

/** A number that is there when somebody looks; undefined when it is not known then, and nothing is shown. */
type Read = () => number | undefined | Promise<number | undefined>;

/**
 * A metric that costs nothing until somebody looks: each part of a process that has a share of it says how to read that.
 * Shares with the same labels are added up.
 */
interface ReadMetric<Label extends string> {
  /** @returns what takes the share away again */
  readonly watch: (labels: LabelValues<Label>, read: Read) => () => void;
}

interface Share<Label extends string> {
  readonly labels: LabelValues<Label>;
  readonly read: Read;
}

/** How metrics are made, in the order: name, help, labels. Seconds, bytes and plain counts only; counters end in `_total`. */
function metricFactories(registry: Registry) {
  const registers = [registry];

  const read = <Label extends string>(
    make: (collect: () => Promise<void>) => Pick<Gauge<Label>, 'reset' | 'inc'>,
  ): ReadMetric<Label> => {
    const shares = new Set<Share<Label>>();
    const metric = make(async () => {
      const all = await Promise.all([...shares].map(async ({ labels, read }) => ({ labels, value: await read() })));
      metric.reset();
      for (const { labels, value } of all) if (value !== undefined) metric.inc(labels, value);
    });
    return {
      watch: (labels, read) => {
        const share = { labels, read };
        shares.add(share);
        return () => void shares.delete(share);
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
 * Metrics that belong together. They are made at the first use and once for each registry: the one of the process, which
 * `/metrics` shows, unless a test gives its own.
 */
export function metricGroup<Group>(create: (make: MetricFactories) => Group): (registry?: Registry) => Group {
  const made = new WeakMap<Registry, Group>();
  return (registry = register) => {
    let group = made.get(registry);
    if (!group) made.set(registry, (group = create(metricFactories(registry))));
    return group;
  };
}

/** Upper bounds of what takes from a millisecond to half a minute. */
export const usualSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
