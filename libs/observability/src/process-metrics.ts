import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { collectDefaultMetrics, register, type Registry } from 'prom-client';
import { projectPath } from '#config';
import { metricGroup } from './metrics.js';

const group = metricGroup((make) => ({
  build: make.gauge('storefront_build_info', 'Build of the process; always 1', 'app', 'version', 'node'),
  activeSeconds: make.readCounter(
    'nodejs_eventloop_active_seconds_total',
    'Time in which the event loop was not idle; its rate is the utilisation, at most 1',
  ),
}));

const created = new WeakSet<Registry>();

/**
 * Registers the metrics of every process: build, memory, processor time, garbage collection and
 * event loop.
 */
export function processMetrics(app: string, registry: Registry = register): void {
  if (created.has(registry)) return;
  created.add(registry);
  collectDefaultMetrics({ register: registry });
  const { build, activeSeconds } = group(registry);
  const { version } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { readonly version: string };
  build.set({ app, version, node: process.versions.node }, 1);
  activeSeconds.watch({}, () => performance.eventLoopUtilization().active / 1_000);
}
