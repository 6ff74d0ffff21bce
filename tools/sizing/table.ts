import { busy, mix, needs, rateAt, shareAtGateway } from './sizing.js';

const rates = [100, 10_000, 1_000_000] as const;
const products = 10_000_000;

const whole = (value: number): string => Math.ceil(value).toLocaleString('en');
const short = (value: number): string => (value >= 100 ? whole(value) : String(Number(value.toPrecision(2))));
type Needs = ReturnType<typeof needs>;

const rows: readonly (readonly [string, (of: Needs) => string])[] = [
  [
    'gateways: processors in use, processes',
    ({ cores, processes }) => `${short(cores.gateway)}, **${whole(processes.gateway)}**`,
  ],
  ['accounts, of which the mix asks nothing: processes', ({ processes }) => `**${whole(processes.accounts)}**`],
  ['catalog', ({ cores, processes }) => `${short(cores.catalog)}, **${whole(processes.catalog)}**`],
  ['social', ({ cores, processes }) => `${short(cores.social)}, **${whole(processes.social)}**`],
  ['activity', ({ cores, processes }) => `${short(cores.activity)}, **${whole(processes.activity)}**`],
  [
    'material-rendering, requests and workers',
    ({ cores, processes }) => `${short(cores.rendering)}, **${whole(processes.rendering)}**`,
  ],
  [
    'Redis of requests: processors in use, servers',
    ({ cores, requestsRedis }) => `${short(cores.requestsRedis)}, **${requestsRedis}**`,
  ],
  ['Redis of jobs', ({ cores, jobsRedis }) => `${short(cores.jobsRedis)}, **${jobsRedis}**`],
  [
    'PostgreSQL: processors in use, to have',
    ({ cores, postgresCores }) => `${short(cores.postgres)}, **${postgresCores}**`,
  ],
  ['connections to PostgreSQL', ({ connections }) => whole(connections)],
  ['memory of the apps, GB', ({ memoryGb }) => short(memoryGb)],
  ['from gateways, Gbit/s, nothing compressed', ({ egressGbits }) => short(egressGbits)],
  ['from the CDN, Gbit/s', ({ cdnGbits }) => short(cdnGbits)],
  ['log of PostgreSQL, MB/s', ({ logMbPerSecond }) => short(logMbPerSecond)],
  ['favorites a day, millions', ({ favoritesPerDayMillion }) => short(favoritesPerDayMillion)],
  ['rows of favorites and activities, GB a day at most', ({ rowsGbPerDay }) => short(rowsGbPerDay)],
  ['products and materials in PostgreSQL, GB', ({ rowsGb }) => short(rowsGb)],
  ['textures and pictures: objects, TB', ({ blobs, blobsTb }) => `${short(blobs / 1e6)} million, ${short(blobsTb)}`],
];

const steps: readonly (readonly [string, number])[] = [
  ['one gateway', rateAt('gateway', 1)],
  ['one process of catalog', rateAt('catalog', 1)],
  ['the one Redis of requests', rateAt('requestsRedis', 1)],
  ['a PostgreSQL of 32 processors', rateAt('postgres', 32)],
  ['the one Redis of jobs', rateAt('jobsRedis', 1)],
];

/** The tables of docs/operations.md that are computed, before they are formatted. */
export function tables(): string {
  const columns = rates.map((rate) => needs(rate, products));
  const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;
  return [
    '| of all requests | what | us of all processors |',
    '| ---: | --- | ---: |',
    ...mix.map(
      ({ what, share, cost }) =>
        `| ${percent(share)} | ${what} | ${whole(Object.values<number>({ ...cost }).reduce((sum, us) => sum + us, 0))} |`,
    ),
    `| ${percent(1 - shareAtGateway)} | a picture that the CDN has | 0 |`,
    '',
    `| ${whole(products)} products; busy to ${busy * 100} % | ${rates.map((rate) => `${whole(rate)}/s`).join(' | ')} |`,
    `| --- | ${rates.map(() => '---:').join(' | ')} |`,
    ...rows.map(([name, cell]) => `| ${name} | ${columns.map(cell).join(' | ')} |`),
    '',
    `| busy to ${busy * 100} % | at requests/s of clients |`,
    '| --- | ---: |',
    ...steps.map(([what, rate]) => `| ${what} | ${whole(Number(rate.toPrecision(2)))} |`),
  ].join('\n');
}
