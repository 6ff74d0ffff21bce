import type { Measurement } from './measure.js';

/** Results of one call at a concurrency, of both sides. */
export interface Result {
  readonly call: string;
  readonly concurrency: number;
  readonly bytes: number;
  readonly ours: Measurement;
  readonly floor: Measurement;
}

export interface Report {
  readonly products: number;
  readonly rounds: number;
  readonly seconds: number;
  /** True if caches were disabled. */
  readonly isCold: boolean;
  /** Background changes of products per second. */
  readonly changes: number;
  readonly results: readonly Result[];
  /** Memory in MB by component, before the first request and after the last one. */
  readonly memory: {
    readonly idle: Readonly<Record<string, number>>;
    readonly afterwards: Readonly<Record<string, number>>;
  };
  readonly readyMs: number;
}

const formatInteger = (value: number): string => Math.round(value).toLocaleString('en');
const ratio = (one: number, other: number): string => (one / other).toFixed(2);

/** Returns the CPU time of gateway, services, Redis and PostgreSQL. */
function partsOf({ cpu }: Measurement): string[] {
  const { gateway = 0, redis = 0, postgres = 0, ...services } = cpu;
  const service = Object.values(services).reduce((sum, each) => sum + each, 0);
  return [gateway, service, redis, postgres].map(formatInteger);
}

const megabytes = (memory: Readonly<Record<string, number>>): string => {
  const sum = Object.values(memory).reduce((all, each) => all + each, 0);
  return `${sum} (${Object.entries(memory)
    .map(([part, each]) => `${part} ${each}`)
    .join(', ')})`;
};

export const cachingText = ({ isCold, changes }: Pick<Report, 'isCold' | 'changes'>): string => {
  if (isCold) return 'response caches are disabled';
  return `response caches are enabled, and ${changes === 0 ? 'no data changes' : `${changes} products change per second`}`;
};

/** Formats memory, CPU time per request and response times as Markdown. */
export function tableOf({ results, products, readyMs, memory, ...how }: Report): string {
  const costs = results.map(({ call, concurrency, bytes, ours, floor }) =>
    [
      ...[
        call,
        (bytes / 1024).toFixed(1),
        concurrency,
        ...partsOf(ours),
        formatInteger(ours.totalCpu),
        formatInteger(floor.totalCpu),
      ],
      `**${ratio(ours.totalCpu, floor.totalCpu)}**`,
    ].join(' | '),
  );
  const times = results.map(({ call, concurrency, ours, floor }) =>
    [
      ...[call, concurrency, formatInteger(ours.requestsPerSecond), formatInteger(floor.requestsPerSecond)],
      ...[ours.p50, ours.p99, floor.p50, floor.p99].map((ms) => ms.toFixed(1)),
      ...[ratio(ours.p99, floor.p99), ours.failed + floor.failed],
    ].join(' | '),
  );
  return [
    `${formatInteger(products)} products, ${cachingText(how)}. Ready after ${(readyMs / 1_000).toFixed(1)} s.`,
    '',
    `Memory in MB: idle ${megabytes(memory.idle)}; afterwards ${megabytes(memory.afterwards)}.`,
    '',
    'Processor time per request, in microseconds:',
    '',
    '| call | KB | callers | gateway | services | Redis | PostgreSQL | all | floor | ratio |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...costs.map((line) => `| ${line} |`),
    '',
    'Requests a second, and times in milliseconds:',
    '',
    '| call | callers | requests/s | of the floor | p50 | p99 | p50 of the floor | p99 of the floor | p99 ratio | failed |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...times.map((line) => `| ${line} |`),
    '',
  ].join('\n');
}

/** Compares each call with an earlier report: cost relative to the floor, now and then. */
export function comparisonOf(now: Report, then: Report): string {
  const lines = now.results.flatMap((result) => {
    const old = then.results.find((it) => it.call === result.call && it.concurrency === result.concurrency);
    if (!old) return [];
    const [share, oldShare] = [result, old].map(({ ours, floor }) => ours.totalCpu / floor.totalCpu) as [
      number,
      number,
    ];
    return [
      [
        ...[result.call, result.concurrency, formatInteger(old.ours.totalCpu), formatInteger(result.ours.totalCpu)],
        ...[oldShare.toFixed(2), share.toFixed(2), ratio(share, oldShare)],
      ].join(' | '),
    ];
  });
  return [
    '| call | callers | us then | us now | x floor then | x floor now | now / then |',
    '| --- | --: | --: | --: | --: | --: | --: |',
    ...lines.map((line) => `| ${line} |`),
    '',
  ].join('\n');
}
