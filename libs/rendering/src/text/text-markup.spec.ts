import { markupOf } from './text-markup.js';

/** Returns the content of the outer span. */
const body = (text: string, breaks: 'between-phrases' | 'anywhere' = 'between-phrases'): string =>
  markupOf(text, '#112233', breaks).replace(/^<span [^>]*>(.*)<\/span>$/s, '$1');
/** Returns the phrases without breaks inside. */
const phrases = (text: string): string[] =>
  [...body(text).matchAll(/allow_breaks="false">([^<]*)</g)].map(([, it]) => it!);

describe('markupOf', () => {
  it('sets the color and disables automatic hyphens', () => {
    expect(markupOf('a', '#112233', 'between-phrases')).toMatch(
      /^<span foreground="#112233"[^>]* insert_hyphens="false">a</,
    );
  });

  it.each(['between-phrases', 'anywhere'] as const)('escapes markup of the text with breaks %s', (breaks) => {
    expect(body(`<b>&"'</b>`, breaks)).toBe('&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;');
  });

  it('renders all characters of a keycap in the emoji font', () => {
    const cap = (text: string) => `<span font_family="Noto Color Emoji">${text}</span>`;
    expect(body('1️⃣ 2 #️⃣ 5⃣')).toBe(`${cap('1️⃣')} 2 ${cap('#️⃣')} ${cap('5⃣')}`);
  });

  it('does not break a Japanese word and its endings', () => {
    expect(phrases('こんにちは世界')).toEqual(['こんにちは', '世界']);
    expect(phrases('東京タワーが大好き！')).toEqual(['東京タワーが', '大好き']);
  });

  it('does not break a Chinese word', () => {
    expect(phrases('今天天气很好，我们去公园。')).toEqual(['今天', '天气', '很好', '我们', '去', '公园']);
  });

  it('breaks Korean only at spaces', () => {
    expect(phrases('제2의 서울(Seoul)은 大韓民國의 수도!')).toEqual(['제2의', '서울(Seoul)은', '大韓民國의', '수도!']);
  });

  it.each(['between-phrases', 'anywhere'] as const)('allows breaks between Thai words with breaks %s', (breaks) => {
    expect(body('จริงๆนะ! กรุงเทพฯ 2567 สวัสดีชาวโลก', breaks)).toBe('จริงๆ\u200bนะ! กรุงเทพฯ 2567 สวัสดี\u200bชาว\u200bโลก');
  });

  it('renders full-width marks in the Japanese font in a Japanese text, and not in other scripts', () => {
    expect(body('…はい', 'anywhere')).toBe('<span font_family="Noto Sans JP">…</span>はい');
    for (const text of ['Wait…', '네…', 'รอ…']) expect(body(text, 'anywhere')).toBe(text);
  });

  it('adds no markup to words of other scripts', () => {
    for (const text of ['Hello big world\nagain', 'Привет мир', 'שלום עולם', 'مرحبا بالعالم 🐈‍⬛']) {
      expect(body(text)).toBe(text);
    }
  });

  it('allows breaks anywhere on request', () => {
    expect(body('こんにちは世界', 'anywhere')).toBe('こんにちは世界');
  });
});
