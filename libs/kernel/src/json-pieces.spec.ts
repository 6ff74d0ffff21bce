import { commaSeparated, joinJson } from './json-pieces.js';

describe('JSON in pieces', () => {
  it('is its texts and its bytes one behind the other, whatever they are written in', () => {
    const pieces = ['{"a":"', Buffer.from('猫'), '","b":"naïve 🐈\u2028', Buffer.from('"'), '', '}'];
    expect(joinJson(pieces).toString()).toBe('{"a":"猫","b":"naïve 🐈\u2028"}');
    expect(joinJson([])).toHaveLength(0);
  });

  it('may be of any length', () => {
    for (const count of [10_000, 2_000_000, 1]) {
      const pieces = ['猫'.repeat(count), Buffer.from('x'.repeat(count)), 'é'.repeat(count)];
      expect(joinJson(pieces).equals(Buffer.from(pieces.join('')))).toBe(true);
    }
  });

  it('is not changed by what is joined later', () => {
    const first = joinJson(['first']);
    joinJson(['other']);
    expect(first.toString()).toBe('first');
  });

  it('has commas between its members', () => {
    expect(joinJson(['[', ...commaSeparated([['1'], [Buffer.from('2'), '0'], ['3']]), ']']).toString()).toBe(
      '[1,20,3]',
    );
    expect(commaSeparated([])).toEqual([]);
  });
});
