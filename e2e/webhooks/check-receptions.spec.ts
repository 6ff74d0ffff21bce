import type { Event } from '#contracts';
import { Notes } from '../load/notes.js';
import { ReceptionCheck } from './check-receptions.js';

const id = 'a4f912f4-289f-487e-aff7-7d5d69a6773d';
const event: Event = {
  id,
  type: 'sale.recorded',
  timestamp: '2026-11-24T12:00:00.000Z',
  userId: 1,
  sequence: 1,
  data: {},
};
const reception = { userId: 1, id, event, isAccepted: true };

let check: ReceptionCheck;
let notes: Notes;
beforeEach(() => {
  check = new ReceptionCheck();
  notes = new Notes();
});
const none = { lost: [], duplicated: [], wrong: [], settledMs: 0 };

it('accepts each event delivered, and counts those that were received before', () => {
  const failed = { ...reception, isAccepted: false };
  expect(check.check([event], [failed, reception], notes)).toBe(1);
  expect(check.check([], [reception], notes)).toBe(1);
  expect(notes.findings(0)).toEqual(none);
});

it.each([
  ['was not received', [], 0],
  ['was received with a failed response only', [{ ...reception, isAccepted: false }], 1],
])('reports an event that %s', (_, receptions, count) => {
  check.check([event], receptions, notes);
  const lost = [`sale.recorded ${id} was not delivered to user 1, ${count} webhooks failed`];
  expect(notes.findings(0)).toEqual({ ...none, lost });
});

it.each([
  ['under another id', { ...reception, id: 'other' }, 'user 1 has received sale.recorded other, which is not'],
  ['at the endpoint of another user', { ...reception, userId: 2 }, `user 2 has received sale.recorded ${id}, which is`],
  ['with other content', { ...reception, event: { ...event, sequence: 2 } }, 'user 1 has received {"id":'],
])('reports an event received %s', (_, other, finding) => {
  check.check([event], [reception, other], notes);
  expect(notes.findings(0)).toEqual({ ...none, wrong: [expect.stringContaining(finding)] });
});
