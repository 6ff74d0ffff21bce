import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { projectPath } from '#config';
import { subscriptions } from '#contracts';
import { appNames } from '../../dev-stack/apps/apps.js';
import { readOverlay } from '../kubernetes/overlay.js';
import { allMetrics, type MetricFacts } from '../metrics-table.js';
import { faultsOf } from './check-query.js';
import { readQuery } from './promql.js';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource: { readonly uid: string };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly Panel[];
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string; readonly runbook_url: string };
}

const textOf = (path: string): string => readFileSync(projectPath(path), 'utf8');
const folder = 'k8s/dashboards';
const files = readdirSync(projectPath(folder)).filter((file) => file.endsWith('.json'));
const dashboards = files.map((file) => [file, JSON.parse(textOf(`${folder}/${file}`)) as Dashboard] as const);
const alerts = readOverlay(projectPath('k8s/overlays/production'))
  .objects.filter(({ kind }) => kind === 'PrometheusRule')
  .flatMap(({ spec }) => spec.groups.flatMap(({ rules }: { rules: Alert[] }) => rules)) as Alert[];
const names = [...new Set(alerts.map(({ alert }) => alert))];

let metrics: readonly MetricFacts[];

beforeAll(async () => {
  metrics = await allMetrics();
});

describe('query check', () => {
  it.each([
    ['rate(rq_nothing_total[5m])', 'rq_nothing_total is no metric'],
    ['rate(rq_client_seconds[5m])', 'rq_client_seconds is no metric'],
    ['rate(rq_queue_length_sum[5m])', 'rq_queue_length_sum is no metric'],
    ['rq_queue_length{state="waiting"}', 'rq_queue_length has no label state'],
    ['sum by (pattern) (rq_queue_length)', 'none of rq_queue_length has a label pattern'],
    ['sum by (le) (rate(rq_client_seconds_count[5m]))', 'none of rq_client_seconds_count has a label le'],
    ['rq_queue_length{service="shop"}', 'service of rq_queue_length is never shop'],
    ['events_consumed_total{outcome=~"done|lost"}', 'outcome of events_consumed_total is never lost'],
    ['gateway_http_open_requests{kind!="cats"}', 'kind of gateway_http_open_requests is never cats'],
    ['gateway_http_requests_total{route=~"/api/v2/.*"}', 'route of gateway_http_requests_total is never /api/v2/.*'],
    ['rate(rq_queue_length[5m])', 'rq_queue_length does not only grow'],
  ])('%s: %s', (text, fault) => {
    expect(faultsOf(text, metrics)).toEqual([fault]);
  });

  it('reports a label that is not in the result', () => {
    expect(faultsOf('sum by (job) (rq_queue_length)', metrics, ['service'])).toEqual(['service is not in the result']);
  });
});

describe('the dashboards', () => {
  it('have unique names and are all deployed', () => {
    const { configMapGenerator } = parse(textOf(`${folder}/kustomization.yaml`));
    expect(configMapGenerator.flatMap((map: { files: string[] }) => map.files).sort()).toEqual(files.sort());
    expect(new Set(dashboards.map(([, { uid }]) => uid)).size).toBe(files.length);
    expect(new Set(dashboards.map(([, { title }]) => title)).size).toBe(files.length);
  });

  describe.each(dashboards)('%s', (_, { templating, panels }) => {
    const each = panels.map((panel) => [panel.title, panel] as const);

    it('has variables for data source and shop', () => {
      expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'job']);
    });

    it('has panels with unique ids and titles that do not overlap', () => {
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    });

    it.each(each)(
      '%s states its unit and normal values, and names existing alerts',
      (_, { fieldConfig, description, datasource }) => {
        expect(fieldConfig.defaults.unit).toMatch(/./);
        expect(description).toMatch(/\bNormal\b/);
        expect(names).toEqual(expect.arrayContaining(description.match(/\bStorefront\w+/g) ?? []));
        expect(datasource.uid).toBe('${datasource}');
      },
    );

    it.each(each)('%s queries existing metrics of one shop', (_, { targets }) => {
      for (const { expr, legendFormat = '' } of targets) {
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
        const query = expr.replaceAll('$__rate_interval', '1m');
        expect([expr, faultsOf(query, metrics, shown)]).toEqual([expr, []]);
        for (const { matchers } of readQuery(query).selectors)
          expect(matchers).toContainEqual({ label: 'job', operator: '=', value: '$job' });
        expect(query.replaceAll('job="$job"', '')).not.toContain('$');
      }
    });
  });
});

describe('the alerts', () => {
  it.each(alerts.map((alert) => [`${alert.alert} (${alert.labels.severity})`, alert] as const))(
    '%s: queries existing metrics and has instructions',
    (_, { alert, expr, labels, annotations }) => {
      const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
      expect(faultsOf(expr, metrics, shown)).toEqual([]);
      expect(labels.severity).toMatch(/^(?:page|ticket)$/);
      expect(annotations.summary).toMatch(/.{20}/);
      expect(annotations.runbook).toMatch(/.{20}/);
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    },
  );

  it('have a section each in docs/runbook.md, in the same order', () => {
    const sections = [...textOf('docs/runbook.md').matchAll(/^### (Storefront\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(names);
  });

  it('detect the absence of every app', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'StorefrontAppMissing')!;
    expect([...expr.matchAll(/app="([a-z-]+)"/g)].map(([, app]) => app).sort()).toEqual([...appNames].sort());
  });

  it('detect a queue without a consumer', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'StorefrontNoConsumer')!;
    const subscribers = new Set(Object.values(subscriptions).flat());
    subscribers.delete('everyone');
    expect([...expr.matchAll(/service="([a-z-]+)"/g)].map(([, service]) => service).sort()).toEqual(
      [...subscribers].sort(),
    );
  });
});
