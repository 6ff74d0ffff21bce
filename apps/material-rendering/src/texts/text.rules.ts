// CR LF is one line end. Vertical tab, form feed, next line, line and paragraph separator end a
// line as well
const lineEnd = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
// Not the no-break space, which joins words, nor the ideographic space, which is as wide as a
// character: both are intended. Nor the byte order mark, which `\s` matches and `removed` removes
const space = /[^\S\n\u00a0\u3000\ufeff]/g;
// Control characters; marks and overrides of the writing direction, which reverse the rest of a
// text; deprecated format characters, the byte order mark, interlinear annotations and the object
// replacement character; code points that are no characters, such as half of a surrogate
// pair and the last two of each plane. The joiners of Arabic and emoji are not among them
const removed =
  /(?!\n)\p{Cc}|[\p{Cs}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffc]/gu;
/** Characters that need no glyph, such as joiners, variation selectors, tags and soft hyphens. */
const ignorable = /\p{Default_Ignorable_Code_Point}/u;
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/**
 * Returns the printable form of a client's text: lines without surrounding spaces, at most one
 * empty line between two, without the characters that `removed` matches. Letters and marks are
 * composed (NFC), because fonts contain the composed ones. Null when no visible character remains.
 */
export function printableText(text: string): string | null {
  const plain = text.replace(lineEnd, '\n').replace(space, ' ').replace(removed, '').normalize('NFC');
  if (!visible.test(plain)) return null;
  const lines = plain.split('\n').map((line) => line.trim());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|(?<!\n)\n+$/g, '');
}

/** Returns the distinct characters that need a glyph. */
export const charactersOf = (text: string): string[] =>
  [...new Set(text)].filter((character) => !/\s/.test(character) && !ignorable.test(character));
