import { cacheNames } from '#cache';
import { operations, serviceNames, subscriptions } from '#contracts';
import { queueStates } from '../../../libs/events/src/queue-stats.js';
import { appNames } from '../../dev-stack/apps/apps.js';
import type { MetricFacts } from '../metrics-table.js';
import { type Matcher, type Query, readQuery } from './promql.js';

type Facts = Pick<MetricFacts, 'name' | 'type' | 'help' | 'labels'>;

/** Labels that Prometheus adds to all scraped metrics. */
const targetLabels = ['job', 'instance'];

/** Metrics of third-party programs. The words of `help` include the possible values of labels. */
const thirdPartyMetrics: readonly Facts[] = [
  { name: 'up', type: 'gauge', help: 'Of Prometheus', labels: [] },
  {
    name: 'certmanager_certificate_expiration_timestamp_seconds',
    type: 'gauge',
    help: 'Of cert-manager',
    labels: ['name'],
  },
  ...['available', 'capacity'].map((what) => ({
    name: `kubelet_volume_stats_${what}_bytes`,
    type: 'gauge',
    help: 'Of the kubelet',
    labels: ['namespace', 'persistentvolumeclaim'],
  })),
  ...['active', 'pg_wal_lsn_diff'].map((what) => ({
    name: `cnpg_pg_replication_slots_${what}`,
    type: 'gauge',
    help: 'Of CloudNativePG: physical, logical',
    labels: ['slot_name', 'slot_type', 'database'],
  })),
  ...['replication_in_recovery', 'stat_archiver_last_failed_time', 'stat_archiver_last_archived_time'].map((what) => ({
    name: `cnpg_pg_${what}`,
    type: 'gauge',
    help: 'Of CloudNativePG',
    labels: [],
  })),
  {
    name: 'cnpg_collector_pg_wal_archive_status',
    type: 'gauge',
    help: 'Of CloudNativePG: ready, done',
    labels: ['value'],
  },
  {
    name: 'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp',
    type: 'gauge',
    help: 'Of Barman Cloud, a plugin of CloudNativePG',
    labels: [],
  },
  ...['status_last_successful_time', 'spec_suspend'].map((what) => ({
    name: `kube_cronjob_${what}`,
    type: 'gauge',
    help: 'Of kube-state-metrics: backup, operator',
    labels: ['namespace', 'cronjob'],
  })),
];

/** Labels with an open set of values. */
const openLabels: ReadonlySet<string> = new Set(['name', 'namespace', 'status']);

const closedLabels: Readonly<Record<string, readonly string[]>> = {
  app: appNames,
  service: serviceNames,
  event: Object.keys(subscriptions),
  state: queueStates,
  cache: cacheNames,
  route: [...Object.values(operations).map(({ path }) => path), '/images/v1/*'],
};

/**
 * Returns the errors of a PromQL query: unknown metrics and labels, impossible label values, rates
 * of gauges, labels of the legend that the result does not have. Possible values come from a closed
 * set or from the description of the metric.
 *
 * @param shown labels that the legend shows: `{{service}}`
 */
export function faultsOf(text: string, all: readonly MetricFacts[], shown: readonly string[] = []): string[] {
  const query = readQuery(text);
  const factsOf = (sample: string): Facts | undefined =>
    [...all, ...thirdPartyMetrics].find(({ name, type }) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].some((end) => name + end === sample) : name === sample,
    );
  const labelsOf = (sample: string): readonly string[] => [
    ...(factsOf(sample)?.labels ?? []),
    ...(sample.endsWith('_bucket') ? ['le'] : []),
    ...targetLabels,
  ];
  const selected = query.selectors.flatMap(({ metric, matchers }) => {
    const facts = factsOf(metric);
    if (!facts) return [`${metric} is no metric`];
    return matchers.flatMap((matcher) => {
      if (!labelsOf(metric).includes(matcher.label)) return [`${metric} has no label ${matcher.label}`];
      return impossibleValues(facts, matcher).map((value) => `${matcher.label} of ${metric} is never ${value}`);
    });
  });
  const grouped = query.groupings.flatMap(({ labels, metrics }) =>
    labels
      .filter((label) => !metrics.some((metric) => labelsOf(metric).includes(label)))
      .map((label) => `none of ${metrics.join(', ')} has a label ${label}`),
  );
  const rates = query.rates
    .filter((sample) => factsOf(sample)?.type === 'gauge')
    .map((sample) => `${sample} does not only grow`);
  const left = resultLabels(query, labelsOf);
  const lost = shown.filter((label) => !left.has(label)).map((label) => `${label} is not in the result`);
  return [...selected, ...grouped, ...rates, ...lost];
}

function impossibleValues({ help, labels }: Facts, { label, operator, value }: Matcher): string[] {
  if (openLabels.has(label) || !labels.includes(label)) return [];
  const values = closedLabels[label] ?? help.split(/[^\w-]+/);
  const parts = operator.includes('~') ? value.split('|') : [value];
  const isPossible = (part: string): boolean =>
    operator.includes('~') ? values.some((it) => new RegExp(`^(?:${part})$`).test(it)) : values.includes(part);
  return parts.filter((part) => !isPossible(part));
}

/**
 * Returns the labels of the result: those in groupings and matchers, or all labels if the query has
 * no grouping.
 */
function resultLabels({ selectors, groupings }: Query, labelsOf: (sample: string) => readonly string[]): Set<string> {
  const compared = selectors.flatMap(({ matchers }) => matchers.map(({ label }) => label));
  const all = selectors.flatMap(({ metric }) => labelsOf(metric));
  return new Set([...compared, ...(groupings.length > 0 ? groupings.flatMap(({ labels }) => labels) : all)]);
}
