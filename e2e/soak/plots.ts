import { lineChart, type Series } from '../../tools/bench/plot/line-chart.js';
import type { ProcessSample, Sample } from './sample.js';

const megabyte = 1024 ** 2;
const x = 'minutes';

const seriesOf = (samples: readonly Sample[], name: string, figure: (sample: Sample) => number): Series => ({
  name,
  points: samples.map((sample) => [sample.minutes, figure(sample)]),
});

const processSeries = (samples: readonly Sample[], figure: (process: ProcessSample) => number): Series[] =>
  Object.keys(samples[0]!.processes).map((name) =>
    seriesOf(samples, name, ({ processes }) => figure(processes[name]!)),
  );

/** Returns plots as SVG, by file name. */
export function plotsOf(samples: readonly Sample[]): Record<string, string> {
  const roles = [...new Set(samples.flatMap(({ connections }) => Object.keys(connections)))].toSorted();
  return {
    'memory.svg': lineChart({
      title: 'Resident memory of each process',
      x,
      y: 'resident memory (MB)',
      series: processSeries(samples, ({ rss }) => rss / megabyte),
    }),
    'handles.svg': lineChart({
      title: 'Open handles of each process',
      x,
      y: 'open file descriptors',
      series: processSeries(samples, ({ handles }) => handles),
    }),
    'connections.svg': lineChart({
      title: 'Connections to the servers',
      x,
      y: 'connections',
      series: [
        ...roles.map((role) => seriesOf(samples, role, ({ connections }) => connections[role] ?? 0)),
        seriesOf(samples, 'Redis of requests', ({ redis }) => redis.requests.clients),
        seriesOf(samples, 'Redis of jobs', ({ redis }) => redis.jobs.clients),
      ],
    }),
    'requests.svg': lineChart({
      title: 'Requests of the load',
      x,
      y: 'requests/s',
      right: 'until the response (ms)',
      series: [
        seriesOf(samples, 'served', ({ requests }) => requests.served),
        seriesOf(samples, 'failed', ({ requests }) => requests.failed),
        { ...seriesOf(samples, 'median', ({ requests }) => requests.p50), isOnRight: true },
        { ...seriesOf(samples, 'p99', ({ requests }) => requests.p99), isOnRight: true },
      ],
    }),
  };
}
