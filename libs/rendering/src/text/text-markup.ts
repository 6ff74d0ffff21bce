import { type MarkedCharacter } from './text-shaping.js';

// Uses the dictionaries of all languages, so Chinese and Thai words are segmented as well
const words = new Intl.Segmenter('ja', { granularity: 'word' });
const ideographic = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const endsIdeographic = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]$/u;
const hiragana = /^[\p{Script=Hiragana}ー]+$/u;
const korean = /\p{Script=Hangul}/u;
const thai = /^\p{Script=Thai}/u;
/** Invisible character at which Pango may break a line. */
const zeroWidthSpace = '\u200b';
// Pango treats the digit of a keycap as text and would render an empty key beside it
const keycap = /[0-9#*]\ufe0f?\u20e3/gu;
// Marks that are full-width and vertically centred in the Japanese font. In the Latin font they are
// neither
const ambiguousWidthMarks = /[—―‥…×÷±※]+/gu;

/**
 * Returns Pango markup that prints a text literally, in one color.
 *
 * @param breaks `between-phrases` allows line breaks in Japanese only between phrases, in Chinese
 *   between words and in Korean at spaces; `anywhere` allows them between any two characters. Thai,
 *   which has no spaces between words, may break between words in both cases.
 */
export function markupOf(text: string, rgb: string, breaks: 'between-phrases' | 'anywhere'): string {
  const separated = separateThaiWords(text);
  const body = breaks === 'anywhere' ? escaped(separated) : phrasesOf(separated).map(unbroken).join('');
  const inFonts = body.replace(keycap, (cap) => inFamily('Noto Color Emoji', cap));
  const marked = ideographic.test(text)
    ? inFonts.replace(ambiguousWidthMarks, (marks) => inFamily('Noto Sans JP', marks))
    : inFonts;
  // The fonts have tall lines, with space for marks above and below that prints seldom need
  return `<span foreground="${rgb}" line_height="0.9" insert_hyphens="false">${marked}</span>`;
}

/**
 * Separates Thai words by zero-width spaces. Pango has no Thai dictionary and would treat a
 * sentence as one word.
 */
function separateThaiWords(text: string): string {
  const segments = Array.from(words.segment(text), ({ segment }) => segment);
  return segments
    .map((segment, index) =>
      thai.test(segment) && thai.test(segments[index - 1] ?? '') ? zeroWidthSpace + segment : segment,
    )
    .join('');
}

/** Splits a text into phrases. In Korean each part between spaces is one phrase. */
const phrasesOf = (text: string): string[] =>
  text.split(/(\s+)/).flatMap((part) => (korean.test(part) ? [part] : wordsOf(part)));

/**
 * Splits a text into words. Japanese words include the hiragana that follow: endings and particles.
 */
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

/**
 * Returns markup that prevents breaks inside a phrase. In other scripts Pango breaks between words
 * itself.
 */
const unbroken = (phrase: string): string =>
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
const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]));

/** Tag of markup, or a character of its text. */
interface MarkupPart {
  /** The part as it is in the markup. */
  readonly part: string;
  /** Undefined for a tag. */
  readonly character: string | undefined;
}

/** Splits markup of `markupOf` into tags and characters. */
export const partsOf = (markup: string): MarkupPart[] =>
  Array.from(markup.matchAll(/<[^<>]*>|&[^&;]*;|./gsu), ([part]) => ({
    part,
    character: part.startsWith('<') ? undefined : (characters.get(part) ?? part),
  }));

/** Returns the characters of markup, and the font families that it requests for them. */
export function charactersOf(markup: string): MarkedCharacter[] {
  const open: (string | undefined)[] = [];
  return partsOf(markup).flatMap(({ part, character }) => {
    if (character !== undefined) return [{ character, family: open.findLast((family) => family !== undefined) }];
    if (part.startsWith('</')) open.pop();
    else open.push(/font_family="([^"]*)"/.exec(part)?.[1]);
    return [];
  });
}
