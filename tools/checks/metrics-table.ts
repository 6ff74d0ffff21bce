import { Registry, type Metric } from 'prom-client';
import { eventMetrics } from '#events';
import { processMetrics } from '#observability';
import { poolMetrics } from '#persistence';
import { keptMetrics, queueMetrics } from '#request-queue';
import { signInAttemptMetrics } from '../../apps/accounts/src/sessions/sign-in-attempt.metrics.js';
import { httpMetrics } from '../../apps/gateway/src/edge/observability/http-metrics.js';
import { imageMetrics } from '../../apps/gateway/src/images/image.metrics.js';
import { rateLimitMetrics } from '../../apps/gateway/src/edge/rate-limits/rate-limit-metrics.js';
import { renderingMetrics } from '../../apps/material-rendering/src/rendering.metrics.js';
import { type AppName, appNames, isService } from '../dev-stack/apps/apps.js';

/** Metrics of one kind, and the apps whose `/metrics` show them. */
interface Group {
  readonly title: string;
  readonly apps: readonly AppName[];
  /** Makes them in a registry. */
  readonly make: (registry: Registry) => unknown;
}

const services = appNames.filter(isService);

const groups: readonly Group[] = [
  { title: 'Requests over HTTP', apps: ['gateway'], make: httpMetrics },
  { title: 'Limits of users', apps: ['gateway'], make: rateLimitMetrics },
  { title: 'Pictures that are asked for', apps: ['gateway'], make: imageMetrics },
  { title: 'The request queue', apps: appNames, make: queueMetrics },
  { title: 'Kept answers', apps: ['catalog', 'social', 'gateway'], make: keptMetrics },
  { title: 'Events', apps: services, make: eventMetrics },
  { title: 'The database', apps: services, make: poolMetrics },
  { title: 'Rendering', apps: ['material-rendering'], make: renderingMetrics },
  { title: 'Attempts to sign in', apps: ['accounts'], make: signInAttemptMetrics },
  { title: 'Every process', apps: appNames, make: (registry) => processMetrics('table', registry) },
];

export interface MetricFacts {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly apps: readonly AppName[];
}

/** What the code of a group makes. */
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

/** Every metric that there is. */
export async function allMetrics(): Promise<MetricFacts[]> {
  return (await Promise.all(groups.map(factsOf))).flat();
}

const appsInWords = (apps: readonly AppName[]): string => {
  if (apps.length === appNames.length) return 'every app';
  return apps.length === services.length && apps.every(isService) ? 'every service' : apps.join(', ');
};

const intro = `# Metrics

What every process says of itself at \`GET /metrics\` of its internal port, in the format of Prometheus. This page is made of the
code (\`WRITE_DOCS=1 npm test -- tools/checks/metrics-table\`); a test compares it with what running apps show.

- Names end in their unit: \`_seconds\`, \`_bytes\`; counters end in \`_total\`. A histogram \`x\` is \`x_bucket\` (with the label \`le\`),
  \`x_sum\` and \`x_count\`.
- The labels of a metric have few values: a route is its pattern (\`/api/v1/products/:productId\`), never an address; a code is one
  of docs/clients.md.
- Replicas are added up, unless the meaning says that the maximum counts: then each of them sees the same thing.
- What nobody counts costs nothing: sizes, lengths and bytes are read when somebody asks. A value that cannot be read then, because
  its server is away, is left out.
- A metric with labels has no value before something happened.
- A scrape takes 4 to 6 ms of processor time of a process and has 27 KB: five rounds of 60 scrapes of all six processes, each less
  what they use at rest, from \`/proc\`, on two cores with other work on them. Every 5 s that is a thousandth of a core for each
  process. In the cost of a request it does not show: four interleaved pairs of 20 s, scraped every 5 s and not, differed by
  -8 to 16 %, which is the noise of that machine.
`;

/** docs/metrics.md. */
export async function asMarkdown(): Promise<string> {
  const sections = await Promise.all(
    groups.map(async (group) => {
      const rows = (await factsOf(group)).map(
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
