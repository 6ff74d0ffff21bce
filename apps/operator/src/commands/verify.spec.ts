import { reportOf } from './verify.js';

const clean = { check: 'The user of each sale exists', checked: 12, wrong: 0, isNote: false, examples: [] };
const note = {
  check: 'Each image in drawn/ has a row',
  checked: 4,
  wrong: 1,
  isNote: true,
  examples: ['drawn/9/a.webp'],
};
const failed = {
  check: 'No event job has failed',
  checked: 3,
  wrong: 3,
  isNote: false,
  examples: ['activity: \x1b[2J'],
};

it('says what was checked, and succeeds if all rules hold', () => {
  const { text, isGood, data } = reportOf([clean]);
  expect(text).toBe('result  checked  rule\nok      12       The user of each sale exists\n\nAll 1 rules hold.');
  expect([isGood, data]).toEqual([true, { wrong: 0, checks: [clean] }]);
});

it('lists unused rows and blobs, which are no errors', () => {
  const { text, isGood, data } = reportOf([clean, note]);
  expect(text).toBe(
    'result    checked  rule\n' +
      'ok        12       The user of each sale exists\n' +
      '1 unused  4        Each image in drawn/ has a row\n\n' +
      'Each image in drawn/ has a row (1 unused):\n  drawn/9/a.webp\n\n' +
      'All 1 rules hold. Unused rows and blobs take space and have no effect.',
  );
  expect([isGood, data]).toEqual([true, { wrong: 0, checks: [clean, note] }]);
});

it('lists findings without control characters, counts the others, and fails', () => {
  const { text, isGood, data } = reportOf([clean, failed]);
  expect(text).toContain('\n3 wrong  3        No event job has failed\n');
  expect(text).toContain('\n\nNo event job has failed (3 wrong):\n  activity:  [2J\n  and 2 more\n\n');
  expect(text).toMatch(/\n1 of 2 rules are violated\.$/);
  expect([isGood, data]).toEqual([false, { wrong: 3, checks: [clean, failed] }]);
});
