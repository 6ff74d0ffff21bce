import { markupOf } from './text-markup.js';

/** What stands inside the outer span. */
const body = (text: string, keep: 'phrases' | 'nothing' = 'phrases'): string =>
  markupOf(text, '#112233', keep).replace(/^<span [^>]*>(.*)<\/span>$/s, '$1');
/** The phrases that stay in one line. */
const phrases = (text: string): string[] =>
  [...body(text).matchAll(/allow_breaks="false">([^<]*)</g)].map(([, it]) => it!);

describe('the markup of a text', () => {
  it('has the colour, and no hyphens that nobody wrote', () => {
    expect(markupOf('a', '#112233', 'phrases')).toMatch(/^<span foreground="#112233"[^>]* insert_hyphens="false">a</);
  });

  it.each(['phrases', 'nothing'] as const)('prints markup as it is, keeping %s', (keep) => {
    expect(body(`<b>&"'</b>`, keep)).toBe('&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;');
  });

  it('takes all of a keycap from the emoji font', () => {
    const cap = (text: string) => `<span font_family="Noto Color Emoji">${text}</span>`;
    expect(body('1️⃣ 2 #️⃣ 5⃣')).toBe(`${cap('1️⃣')} 2 ${cap('#️⃣')} ${cap('5⃣')}`);
  });

  it('keeps a Japanese word and its endings in one line', () => {
    expect(phrases('こんにちは世界')).toEqual(['こんにちは', '世界']);
    expect(phrases('東京タワーが大好き！')).toEqual(['東京タワーが', '大好き']);
  });

  it('leaves words of other scripts to the line breaker', () => {
    expect(body('Hello big world\nagain')).toBe('Hello big world\nagain');
  });

  it('keeps nothing together when that is asked for', () => {
    expect(body('こんにちは世界', 'nothing')).toBe('こんにちは世界');
  });
});
