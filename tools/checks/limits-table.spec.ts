import { textureBodyLimit } from '#contracts';
import { largeBodyLimits } from '../../apps/gateway/src/edge/bodies/large-bodies.js';
import { lingerLimits } from '../../apps/gateway/src/edge/connections/lingering-close.js';
import { type EdgeTimes, edgeTimes } from '../../apps/gateway/src/edge/server/edge-times.js';
import { fetchLimits } from '../../apps/material-rendering/src/textures/fetch.limiter.js';
import { textureLimits } from '../../apps/material-rendering/src/textures/texture.rules.js';
import { defectsOf, readTestTable } from './test-table.js';

const rows = readTestTable('limits.md');
const [KB, MB, million] = [1024, 1024 * 1024, 1_000_000];

/** Rows of docs/limits.md for each timeout in `edgeTimes`. Its other two fields are intervals. */
const edgeRows = {
  headMs: ['TLS handshake', 'First byte', 'Request head, time'],
  requestMs: ['Body, time'],
  bodyIdleMs: ['Next piece of JSON'],
  responseMs: ['Services, all calls of a request'],
  exchangeMs: ['Reading the response'],
  idleExchangeMs: ['Any byte in either direction'],
  idleMs: ['Next request of a connection'],
  closeGraceMs: ['Reading 400 for HTTP on an HTTPS port', 'Reading the response when no more is read'],
  lingerMs: ['Rest, time'],
  lingerIdleMs: ['Rest, next piece or close'],
} as const satisfies Record<Exclude<keyof EdgeTimes, 'checkEveryMs' | 'certificateEveryMs'>, readonly string[]>;

/** First numbers of each value, in the units of the page. */
const expected: readonly (readonly [limit: string, values: readonly number[]])[] = [
  ...Object.entries(edgeRows).flatMap(([name, limits]) =>
    limits.map((limit) => [limit, [edgeTimes[name as keyof EdgeTimes] / 1_000]] as const),
  ),
  ...largeBodyRows(largeBodyLimits),
  ...fetchRows(fetchLimits),
  ['JSON', [1, textureBodyLimit / MB]],
  ['Rest, size', [lingerLimits.bytes / KB, lingerLimits.announcedBytes / MB]],
  ['Rest, rate', [lingerLimits.bytesPerSecondOfAddress / MB, lingerLimits.bytesPerSecond / MB]],
  ['Texture', textureRow(textureLimits)],
  ['Compressed chunks of a PNG', [textureLimits.compressedChunks, textureLimits.compressedChunkBytes / MB]],
];

function largeBodyRows(limits: typeof largeBodyLimits): typeof expected {
  return [
    ['Large bodies', [limits.permits, limits.ofUser, limits.ofAddress]],
    [
      'Large bodies waiting',
      [limits.maxWaiting, limits.waitingOfUser, limits.waitingOfAddress, limits.timeoutMs / 1_000],
    ],
    ['Their rate', [limits.bytesPerSecond / KB, limits.graceMs / 1_000]],
    ['Their rate while others wait', [limits.contestedBytesPerSecond / KB, limits.contestedGraceMs / 1_000]],
  ];
}

function fetchRows(limits: typeof fetchLimits): typeof expected {
  return [
    ['Fetches', [limits.permits, limits.ofUser]],
    ['Fetches waiting', [limits.maxWaiting, limits.timeoutMs / 1_000]],
    ['Rate of a server', [limits.bytesPerSecond / KB, limits.graceMs / 1_000]],
    ['While others wait', [limits.contestedBytesPerSecond / KB, limits.ofServer, limits.contestedGraceMs / 1_000]],
  ];
}

function textureRow(limits: typeof textureLimits): readonly number[] {
  return [limits.bytes / MB, limits.pixels / million, limits.avifPixels / million, limits.side, limits.scans];
}

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/\d[\d,]*/g)].map(([number]) => Number(number.replaceAll(',', '')));

describe('docs/limits.md', () => {
  it('names tests that exist', () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(defectsOf(rows)).toEqual([]);
  });

  it('has each limit once', () => {
    const limits = rows.map(({ cells }) => cells[0]);
    expect(limits.filter((limit, index) => limits.indexOf(limit) !== index)).toEqual([]);
  });

  it.each(expected)('has the value of the code: %s, %j', (limit, values) => {
    const cells = rows.find((row) => row.cells[0] === limit)?.cells;
    expect(numbersIn(cells?.[1] ?? '').slice(0, values.length)).toEqual(values);
  });
});
