const words = new Intl.Segmenter('ja', { granularity: 'word' });
const japanese = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u;
const hiragana = /^[\p{Script=Hiragana}ー]+$/u;
const endsJapanese = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]$/u;
// The digit of a keycap is text to Pango, and the cap alone an empty key
const keycap = /[0-9#*]\ufe0f?\u20e3/gu;

/**
 * Pango markup that prints a text as it is, in one colour.
 *
 * @param keep `phrases` lets Japanese lines end between phrases only; `nothing` between any two characters
 */
export function markupOf(text: string, rgb: string, keep: 'phrases' | 'nothing'): string {
  const body = keep === 'phrases' ? phrasesOf(text).map(keptTogether).join('') : escaped(text);
  const caps = body.replace(keycap, (cap) => `<span font_family="Noto Color Emoji">${cap}</span>`);
  // Lines of the fonts are high, for marks above and below that a print seldom has
  return `<span foreground="${rgb}" line_height="0.9" insert_hyphens="false">${caps}</span>`;
}

/** The words of a text; in Japanese with the hiragana behind them, which are endings and particles. */
function phrasesOf(text: string): string[] {
  const phrases: string[] = [];
  for (const { segment } of words.segment(text)) {
    const before = phrases.at(-1);
    if (before !== undefined && hiragana.test(segment) && endsJapanese.test(before)) {
      phrases[phrases.length - 1] = before + segment;
    } else phrases.push(segment);
  }
  return phrases;
}

/** Other scripts are left to Pango, which ends a line between words. */
const keptTogether = (phrase: string): string =>
  japanese.test(phrase) ? `<span allow_breaks="false">${escaped(phrase)}</span>` : escaped(phrase);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
