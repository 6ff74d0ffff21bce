import { commaSeparated, joinJson } from './json-pieces.js';

describe('joinJson', () => {
  it('concatenates strings and bytes as UTF-8', () => {
    const pieces = ['{"a":"', Buffer.from('猫'), '","b":"naïve 🐈\u2028', Buffer.from('"'), '', '}'];
    expect(joinJson(pieces).toString()).toBe('{"a":"猫","b":"naïve 🐈\u2028"}');
    expect(joinJson([])).toHaveLength(0);
  });

  it('joins pieces of any length', () => {
    for (const count of [10_000, 2_000_000, 1]) {
      const pieces = ['猫'.repeat(count), Buffer.from('x'.repeat(count)), 'é'.repeat(count)];
      expect(joinJson(pieces).equals(Buffer.from(pieces.join('')))).toBe(true);
    }
  });

  it('returns bytes that later calls do not overwrite', () => {
    const first = joinJson(['first']);
    joinJson(['other']);
    expect(first.toString()).toBe('first');
  });

  it('joins members that commaSeparated separates', () => {
    expect(joinJson(['[', ...commaSeparated([['1'], [Buffer.from('2'), '0'], ['3']]), ']']).toString()).toBe(
      '[1,20,3]',
    );
    expect(commaSeparated([])).toEqual([]);
  });
});
