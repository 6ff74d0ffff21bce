import { collectDefaultMetrics, Registry, type Metric } from 'prom-client';
import { cacheMetrics } from '#cache';
import { eventMetrics } from '#events';
import { processMetrics } from '#observability';
import { poolMetrics } from '#persistence';
import { queueMetrics } from '#request-queue';
import { signInAttemptMetrics } from '../../apps/accounts/src/sessions/sign-in-attempt.metrics.js';
import { httpMetrics } from '../../apps/gateway/src/edge/observability/http-metrics.js';
import { imageMetrics } from '../../apps/gateway/src/images/image.metrics.js';
import { rateLimitMetrics } from '../../apps/gateway/src/edge/rate-limits/rate-limit-metrics.js';
import { renderingMetrics } from '#rendering/rendering.metrics.js';
import { deliveryMetrics } from '../../apps/webhooks/src/deliveries/delivery.metrics.js';
import { type AppName, appNames, isService } from '../dev-stack/apps/apps.js';

/** A group of metrics, and the apps that export them. */
interface Group {
  readonly title: string;
  readonly apps: readonly AppName[];
  /** Creates the metrics in a registry. */
  readonly make: (registry: Registry) => unknown;
}

const services = appNames.filter(isService);

const groups: readonly Group[] = [
  { title: 'Requests over HTTP', apps: ['gateway'], make: httpMetrics },
  { title: 'Rate limits', apps: ['gateway'], make: rateLimitMetrics },
  { title: 'Images', apps: ['gateway'], make: imageMetrics },
  { title: 'Request queue', apps: appNames, make: queueMetrics },
  {
    title: 'Caches',
    apps: ['accounts', 'catalog', 'material-rendering', 'social', 'gateway'],
    make: cacheMetrics,
  },
  { title: 'Events', apps: services, make: eventMetrics },
  { title: 'Database connections', apps: services, make: poolMetrics },
  { title: 'Rendering', apps: ['material-rendering'], make: renderingMetrics },
  { title: 'Webhooks', apps: ['webhooks'], make: deliveryMetrics },
  { title: 'Sign-in attempts', apps: ['accounts'], make: signInAttemptMetrics },
  { title: 'Processes', apps: appNames, make: (registry) => processMetrics('table', registry) },
];

export interface MetricFacts {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly apps: readonly AppName[];
}

/** Returns the metrics that the code of a group creates. */
async function factsOf({ apps, make }: Group): Promise<MetricFacts[]> {
  const registry = new Registry();
  make(registry);
  const made = registry.getMetricsAsArray() as unknown as (Metric & { readonly labelNames: readonly string[] })[];
  return Promise.all(
    made.map(async (metric) => {
      const { name, help, type } = await metric.get();
      return { name, help, type: String(type), labels: metric.labelNames, apps };
    }),
  );
}

/** Returns all metrics. */
export async function allMetrics(): Promise<MetricFacts[]> {
  return (await Promise.all(groups.map(factsOf))).flat();
}

const appsInWords = (apps: readonly AppName[]): string => {
  if (apps.length === appNames.length) return 'every app';
  return apps.length === services.length && apps.every(isService) ? 'every service' : apps.join(', ');
};

/** Returns the names of the default metrics of prom-client, which the page omits. */
function defaultMetricNames(): ReadonlySet<string> {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return new Set(register.getMetricsAsArray().map(({ name }) => name));
}

const intro = `# Metrics

Each process serves its metrics at \`GET /metrics\` of its internal port, in the Prometheus text format. The code generates this
page (\`WRITE_DOCS=1 npm test -- tools/checks/metrics-table\`), without the
[default metrics](https://github.com/siimon/prom-client#default-metrics) of prom-client, \`process_*\` and \`nodejs_*\`.

- A histogram \`x\` consists of \`x_bucket\` (label \`le\`), \`x_sum\` and \`x_count\`.
- Labels have few values: a route is its pattern (\`/api/v1/products/:productId\`), a code is the \`code\` of an
  [error](clients.md#errors).
- Sum the values of replicas. Use the maximum where the meaning says so: replicas then export the same shared value.
- Gauges are read at the scrape. A value whose server is unavailable is missing.
- A metric with labels appears with its first event.
- A scrape has 27 KB and takes 4 to 6 ms of processor time.
`;

/** Returns docs/metrics.md, unformatted. */
export async function asMarkdown(): Promise<string> {
  const defaults = defaultMetricNames();
  const sections = await Promise.all(
    groups.map(async (group) => {
      const own = (await factsOf(group)).filter(({ name }) => !defaults.has(name));
      const rows = own.map(
        ({ name, type, labels, help }) =>
          `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
      );
      return `## ${group.title}

Of ${appsInWords(group.apps)}.

| name | type | labels | meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
    }),
  );
  return [intro, ...sections].join('\n');
}
