// CR LF is one; vertical tab, form feed, next line, line and paragraph separator end a line as well
const lineEnd = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
// A no-break space binds words, the ideographic one is as wide as a character: both are meant
const space = /[^\S\n\u00a0\u3000]/g;
// Marks and overrides of the writing direction turn the rest of a text around, others are notes to programs or no
// characters at all: half of a surrogate pair, the last two of each plane. The joiners of Arabic and emoji are none of them
const unseen =
  /(?!\n)\p{Cc}|[\p{Cs}\p{Noncharacter_Code_Point}\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffc]/gu;
/** Joiners, variation selectors, tags: they change their neighbours and have no image of their own. */
const ignorable = /\p{Default_Ignorable_Code_Point}/u;
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/**
 * A client's text as it is printed: lines without spaces around them, one empty line at most between two, nothing that
 * cannot be seen. Letters and their marks are composed, because fonts have the composed ones. Null when nothing is left.
 */
export function printableText(text: string): string | null {
  const plain = text.replace(lineEnd, '\n').replace(space, ' ').replace(unseen, '').normalize('NFC');
  if (!visible.test(plain)) return null;
  const lines = plain.split('\n').map((line) => line.trim());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|(?<!\n)\n+$/g, '');
}

/** The characters that need a glyph, each once. */
export const charactersOf = (text: string): string[] =>
  [...new Set(text)].filter((character) => !/\s/.test(character) && !ignorable.test(character));
