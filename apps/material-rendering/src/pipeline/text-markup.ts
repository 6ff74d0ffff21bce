// Its dictionaries are those of every language: Chinese and Thai words are found as well
const words = new Intl.Segmenter('ja', { granularity: 'word' });
const ideographic = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const endsIdeographic = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]$/u;
const hiragana = /^[\p{Script=Hiragana}ー]+$/u;
const korean = /\p{Script=Hangul}/u;
const thai = /^\p{Script=Thai}/u;
/** Pango ends a line here if it must, and nothing is seen. */
const breakHere = '\u200b';
// The digit of a keycap is text to Pango, and the cap alone an empty key
const keycap = /[0-9#*]\ufe0f?\u20e3/gu;
// As wide as a character and in the middle of the line: those of the Latin font are neither
const ideographicMarks = /[—―‥…×÷±※]+/gu;

/**
 * Pango markup that prints a text as it is, in one colour.
 *
 * @param keep `phrases` lets Japanese lines end between phrases only, Chinese ones between words and Korean ones at
 *   spaces; `nothing` between any two characters. Thai has no spaces between its words: both end its lines there.
 */
export function markupOf(text: string, rgb: string, keep: 'phrases' | 'nothing'): string {
  const spaced = thaiWordsApart(text);
  const body = keep === 'phrases' ? phrasesOf(spaced).map(keptTogether).join('') : escaped(spaced);
  const inFonts = body.replace(keycap, (cap) => inFamily('Noto Color Emoji', cap));
  const marked = ideographic.test(text)
    ? inFonts.replace(ideographicMarks, (marks) => inFamily('Noto Sans JP', marks))
    : inFonts;
  // Lines of the fonts are high, for marks above and below that a print seldom has
  return `<span foreground="${rgb}" line_height="0.9" insert_hyphens="false">${marked}</span>`;
}

/** Pango has no dictionary of Thai: to it a sentence is one word. */
function thaiWordsApart(text: string): string {
  const segments = Array.from(words.segment(text), ({ segment }) => segment);
  return segments
    .map((segment, index) =>
      thai.test(segment) && thai.test(segments[index - 1] ?? '') ? breakHere + segment : segment,
    )
    .join('');
}

/** What lies between spaces is one phrase in Korean. */
const phrasesOf = (text: string): string[] =>
  text.split(/(\s+)/).flatMap((part) => (korean.test(part) ? [part] : wordsOf(part)));

/** The words of a text; in Japanese with the hiragana behind them, which are endings and particles. */
function wordsOf(text: string): string[] {
  const phrases: string[] = [];
  for (const { segment } of words.segment(text)) {
    const before = phrases.at(-1);
    if (before !== undefined && hiragana.test(segment) && endsIdeographic.test(before)) {
      phrases[phrases.length - 1] = before + segment;
    } else phrases.push(segment);
  }
  return phrases;
}

/** Other scripts are left to Pango, which ends a line between words. */
const keptTogether = (phrase: string): string =>
  ideographic.test(phrase) || korean.test(phrase)
    ? `<span allow_breaks="false">${escaped(phrase)}</span>`
    : escaped(phrase);

const inFamily = (family: string, text: string): string => `<span font_family="${family}">${text}</span>`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
