import { findingsFor, compareProcesses, type SoakResult, windowsOf } from './growth.js';
import { plotsOf } from './plots.js';
import { processTable, serverTable } from './report.js';
import type { Measurement, ProcessSample } from './sample.js';

const megabyte = 1024 ** 2;
const usualSample: ProcessSample = {
  pid: 7,
  rss: 100 * megabyte,
  childrenRss: 0,
  handles: 40,
  sockets: 30,
  threads: 11,
};

const measurementOf = (process: Partial<ProcessSample>): Measurement => ({
  processes: { 'catalog#1': { ...usualSample, ...process } },
  servers: {},
  connections: { catalog: 8 },
  databaseBytes: 20 * megabyte,
  redis: { requests: { clients: 30, memory: 2_000_000 }, jobs: { clients: 20, memory: 3_000_000 } },
});

/** Returns a run of thirty minutes with a sample every five seconds, and with two rests. */
const soaked = (
  atEnd: Partial<ProcessSample>,
  underLoad: (minutes: number) => Partial<ProcessSample> = () => ({}),
): SoakResult => ({
  samples: Array.from({ length: 360 }, (_, n) => {
    const minutes = (n + 1) / 12;
    return { ...measurementOf(underLoad(minutes)), minutes, requests: { served: 20, failed: 0, p50: 5, p99: 40 } };
  }),
  rests: [measurementOf({}), measurementOf(atEnd)],
  warmMinutes: 5,
});
const findings = (...of: Parameters<typeof soaked>) => compareProcesses(soaked(...of)).flatMap(findingsFor);

describe('a process', () => {
  it('without growth has no findings, although its memory varies under load', () => {
    expect(
      findings({}, (minutes) => ({ rss: usualSample.rss * (1 + (minutes % 5)), handles: 40 + (minutes % 5) })),
    ).toEqual([]);
  });

  it('may grow by up to 5 % of memory, at rest and under load', () => {
    const growing = (megabytes: number) => (minutes: number) => ({
      rss: minutes < 15 ? usualSample.rss : megabytes * megabyte,
    });
    expect(findings({ rss: 104.9 * megabyte }, growing(104.9))).toEqual([]);
    expect(findings({ rss: 105.1 * megabyte })).toEqual(['catalog#1: resident memory at rest grew by 5.1 %']);
    expect(findings({}, growing(105.1))).toEqual(['catalog#1: resident memory under load grew by 5.1 %']);
  });

  it('may not have an additional handle at rest', () => {
    expect(findings({ handles: 39 })).toEqual([]);
    expect(findings({ handles: 41 })).toEqual(['catalog#1: open handles grew from 40 to 41']);
  });

  it('is reported if it was restarted', () => {
    expect(findings({}, (minutes) => ({ pid: minutes < 12 ? 7 : 8 }))).toEqual(['catalog#1: restarted 1 times']);
  });
});

it('compares up to five minutes after the warm-up with as many at the end', () => {
  const ends = (minutes: number) => {
    const run = soaked({});
    const windows = windowsOf({ ...run, samples: run.samples.filter((sample) => sample.minutes <= minutes) });
    return windows.map((window) => [window[0]!.minutes, window.at(-1)!.minutes].map(Math.round));
  };
  expect(ends(30)).toEqual([
    [5, 10],
    [25, 30],
  ]);
  expect(ends(9)).toEqual([
    [5, 7],
    [7, 9],
  ]);
});

it('formats the growth of processes and the medians of servers as tables', () => {
  const run = soaked({ rss: 110 * megabyte, handles: 41 }, (minutes) => ({
    rss: usualSample.rss + minutes * megabyte,
  }));
  expect(processTable(compareProcesses(run))).toContain(
    '| catalog#1 | 100.0 -> 110.0 | +10.0 % | 107.6 -> 127.5 | +18.5 % | 40 -> 41 | 30      | 11      |',
  );
  expect(serverTable(run)).toMatch(/PostgreSQL connections of catalog +\| 8 +\| 8 /);
});

it('draws memory, handles, connections and requests', () => {
  const plots = plotsOf(soaked({}).samples);
  expect(Object.keys(plots)).toEqual(['memory.svg', 'handles.svg', 'connections.svg', 'requests.svg']);
  for (const svg of Object.values(plots)) expect(svg).toMatch(/^<svg[^]*minutes[^]*<\/svg>$/);
});
