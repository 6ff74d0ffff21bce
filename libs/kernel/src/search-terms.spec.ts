import { searchColumns, searchTerms } from './search-terms.js';

const wordsOf = (q: string): string[] => searchTerms(q).map(({ word }) => word);

/**
 * Matches as the database does: the tokens of each word are among those of the title, and the word
 * is in its text.
 */
function matches(title: string, q: string): boolean {
  const { searchText, searchTokens } = searchColumns(title);
  return searchTerms(q).every(
    ({ word, tokens }) => tokens.every((token) => searchTokens.includes(token)) && searchText.includes(word),
  );
}

describe('searchTerms', () => {
  it.each([
    [' a  b ', ['a', 'b']],
    ['a\tb\nc\u3000d\u00a0e\u2003f\u0085g', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['cat CAT Ｃａｔ', ['cat']],
    ['', []],
    ['\u3000 \u2028', []],
    ['50%_off \\ "it\'s"', ['50%_off', '\\', '"it\'s"']],
  ])('splits %j into %j', (q, words) => {
    expect(wordsOf(q)).toEqual(words);
  });

  it('returns pairs of letters as tokens, and a single letter as itself', () => {
    expect(searchTerms('猫 cat 🐈‍⬛')).toEqual([
      { word: '猫', tokens: ['猫'] },
      { word: 'cat', tokens: ['ca', 'at'] },
      { word: '🐈‍⬛', tokens: ['🐈\u200d', '\u200d⬛'] },
    ]);
    expect(searchTerms('aaaa')).toEqual([{ word: 'aaaa', tokens: ['aa'] }]);
  });

  it('bounds the tokens of a query of 100 characters, also after NFKC', () => {
    // U+FDFA has the longest NFKC form: 18 characters, which are four words of 15 letters and 3
    // spaces
    expect(searchTerms('\ufdfa'.repeat(100)).flatMap(({ tokens }) => tokens).length).toBeLessThan(1_800);
    expect(searchTerms(Array.from({ length: 50 }, (_, n) => String.fromCharCode(0x4e00 + n)).join(' '))).toHaveLength(
      50,
    );
  });
});

describe('searchColumns', () => {
  it('returns the letters and pairs within words, each once', () => {
    expect(searchColumns('Cat ca')).toEqual({ searchText: 'cat ca', searchTokens: ['c', 'a', 't', 'ca', 'at'] });
    expect(searchColumns('灯台🐈')).toEqual({
      searchText: '灯台🐈',
      searchTokens: ['灯', '台', '🐈', '灯台', '台🐈'],
    });
  });

  it.each([
    ['Lighthouse', 'LIGHT'],
    ['Ｌｉｇｈｔ', 'light'],
    ['ﾗｲﾄﾊｳｽﾞ', 'ハウズ'],
    ['ライトハウス', 'ﾊｳｽ'],
    ['①番', '1番'],
    ['100% _real_ \\o/', '% _real \\o'],
    ['ΟΔΟΣΑ', 'οδός'.normalize('NFD').replaceAll('\u0301', '')],
    ['猫と灯台', '灯台 猫'],
    ['Straße 🐈‍⬛', '🐈'],
    ['Straße', 'STRASSE'],
    ['STRASSE', 'straße'],
  ])('lets %j match %j', (title, q) => {
    expect(matches(title, q)).toBe(true);
  });

  it.each([
    ['ねこ', 'ネコ'],
    ['light house', 'lighthouse'],
    ['abcab', 'cabc'],
    ['cat', 'cat dog'],
    ['100 percent', '%'],
    ['a-b', 'a_b'],
    ['が', 'か'],
  ])('does not let %j match %j', (title, q) => {
    expect(matches(title, q)).toBe(false);
  });
});
