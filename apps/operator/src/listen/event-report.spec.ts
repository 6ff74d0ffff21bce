import { publicEvents, publicEventTypes } from '#contracts';
import { eventReport } from './event-report.js';
import { exampleEvent } from './example-event.js';

const timestamp = '2026-11-26T09:00:00.000Z';
const event = {
  id: 'a',
  type: 'material.updated',
  timestamp,
  sequence: 3,
  data: { materialId: 1, changed: ['title'] },
};

it('prints time, type, sequence and data of an event in one line', () => {
  const { text, data } = eventReport(event as never, { cursor: '12' });
  expect(text).toBe('2026-11-26T09:00:00.000Z  material.updated     #3    materialId=1 changed=["title"]');
  expect(data).toEqual({ cursor: '12', event });
});

it.each([
  [{ status: 204, error: null, durationMs: 8 }, '-> 204 in 8 ms'],
  [{ status: 500, error: null, durationMs: 8 }, '-> failed: 500 in 8 ms'],
  [{ status: 302, error: null, durationMs: 8 }, '-> failed: 302 in 8 ms'],
  [{ status: null, error: 'ECONNREFUSED', durationMs: 2 }, '-> failed: ECONNREFUSED in 2 ms'],
])('prints the forward %j', (forward, text) => {
  const report = eventReport(event as never, { cursor: '12', forward });
  expect(report.text).toMatch(new RegExp(`\\["title"\\]  ${text}$`));
  expect(report.data).toEqual({ cursor: '12', event, forward });
});

it('prints no control characters', () => {
  const hostile = { ...event, type: 'sale\x1b[2J', data: { text: 'a\nb' } };
  expect(eventReport(hostile as never, {}).text).toMatch(/^\P{Cc}*$/u);
});

it.each(publicEventTypes)('the example of %s has all fields of the type', (type) => {
  const example = exampleEvent(type);
  expect(publicEvents[type].data.strict().parse(example.data)).toEqual(example.data);
});
