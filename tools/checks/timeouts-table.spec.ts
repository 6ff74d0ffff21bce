import { type EdgeTimes, edgeTimes } from '../../apps/gateway/src/edge/server/edge-times.js';
import { defectsOf, readTestTable } from './test-table.js';

const table = readTestTable('timeouts.md');
const { rows } = table;

/** The rows of what a gateway bears with. */
const waits = {
  headMs: [
    'for the handshake of TLS, however steadily it comes',
    'for the first byte of a connection',
    'for the head of a request, however steadily it comes',
  ],
  requestMs: ['for the body, of whatever kind'],
  bodySilenceMs: ['for the next piece of a JSON body'],
  answerMs: ['for all that services are asked on behalf of a request'],
  exchangeMs: ['for a client to take its answer'],
  silenceMs: ['for any byte in either direction'],
  idleMs: ['for the next request of a connection'],
  farewellMs: [
    'for a client to read that HTTPS is spoken here',
    'for a client to read the response to a body of which no more is read',
  ],
  lingerMs: ['for the rest of a body after its response'],
  lingerSilenceMs: ['for the next piece of that rest, or for the client to close the connection'],
} as const satisfies Record<Exclude<keyof EdgeTimes, 'checkEveryMs' | 'certificateEveryMs'>, readonly string[]>;
const limits = Object.entries(waits).flatMap(([name, its]) =>
  its.map((wait) => [wait, edgeTimes[name as keyof EdgeTimes]] as const),
);

describe('docs/timeouts.md', () => {
  it('names tests that are there, and some of each file', () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(defectsOf(table)).toEqual([]);
  });

  it.each(limits)('says how long the gateway waits %s: %d ms', (wait, ms) => {
    const limit = rows.find(({ cells }) => cells[0] === wait)?.cells[1];
    expect(limit?.split(/ (?=from|with)|,/)[0]).toBe(`${ms / 1_000} s`);
  });
});
