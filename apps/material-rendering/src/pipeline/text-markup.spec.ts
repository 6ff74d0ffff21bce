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

  it('keeps a Chinese word in one line', () => {
    expect(phrases('今天天气很好，我们去公园。')).toEqual(['今天', '天气', '很好', '我们', '去', '公园']);
  });

  it('ends a Korean line at spaces only', () => {
    expect(phrases('제2의 서울(Seoul)은 大韓民國의 수도!')).toEqual(['제2의', '서울(Seoul)은', '大韓民國의', '수도!']);
  });

  it.each(['phrases', 'nothing'] as const)('may end a Thai line between words, keeping %s', (keep) => {
    expect(body('จริงๆนะ! กรุงเทพฯ 2567 สวัสดีชาวโลก', keep)).toBe('จริงๆ\u200bนะ! กรุงเทพฯ 2567 สวัสดี\u200bชาว\u200bโลก');
  });

  it('takes marks as wide as a character from the Japanese font, in Japanese and Chinese', () => {
    expect(body('…はい', 'nothing')).toBe('<span font_family="Noto Sans JP">…</span>はい');
    for (const text of ['Wait…', '네…', 'รอ…']) expect(body(text, 'nothing')).toBe(text);
  });

  it('leaves words of other scripts to the line breaker', () => {
    for (const text of ['Hello big world\nagain', 'Привет мир', 'שלום עולם', 'مرحبا بالعالم 🐈‍⬛']) {
      expect(body(text)).toBe(text);
    }
  });

  it('keeps nothing together when that is asked for', () => {
    expect(body('こんにちは世界', 'nothing')).toBe('こんにちは世界');
  });
});
