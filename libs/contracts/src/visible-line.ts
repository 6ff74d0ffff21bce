import { text } from './field.js';

const control = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
const controlExceptLineBreaks = /(?![\t\n\r])\p{Cc}/u;

/** Returns the pattern of a letter or mark of one of the scripts. */
const letterOf = (...scripts: string[]): string => {
  const any = scripts.map((script) => String.raw`\p{Script_Extensions=${script}}`).join('');
  return String.raw`(?=[\p{L}\p{M}])(?!\p{Default_Ignorable_Code_Point})[${any}]`;
};
const cursive = letterOf('Adlm', 'Arab', 'Mand', 'Mong', 'Nkoo', 'Rohg', 'Syrc');
const brahmic = letterOf('Beng', 'Deva', 'Gujr', 'Guru', 'Khmr', 'Knda', 'Mlym', 'Orya', 'Sinh', 'Taml', 'Telu');
const virama = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`;
const emoji = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?`;

/**
 * Sequences in which invisible characters can have a visible effect, depending on letters and font.
 */
const sequences = [
  // Flags of subdivisions; emoji, each with an optional presentation selector and skin tone, alone
  // or joined by ZWJ; keycaps (UTS #51, section 1.4)
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`,
  String.raw`${emoji}(?:\u200d${emoji})*`,
  String.raw`[#*0-9]\ufe0f\u20e3`,
  // ZWNJ between cursive letters, in Persian also after a letter that never joins the next one
  // (wider than UAX #31, 2.3.1: A1)
  String.raw`(?<=${cursive})\u200c(?=${cursive})`,
  // Joiners after a virama, ZWJ also at the end of a word (UAX #31, 2.3.1: A2, B). Joiners before a
  // mark, as in the ya-phalaa of Bengali and before the register shifters of Khmer
  String.raw`(?<=${virama})(?:\u200d|\u200c(?=${brahmic}))`,
  String.raw`(?<=${brahmic})[\u200c\u200d](?=\p{M})(?=${brahmic})`,
  // Variants of ideographs, as in Japanese family names, and of Mongolian letters (UTS #37;
  // Unicode, sections 23.4 and 13.5)
  String.raw`\p{Unified_Ideograph}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=(?=\p{L})\p{Script=Mongolian})[\u180b-\u180f]`,
];

/**
 * Matches a permitted sequence (group 1), or one invisible character: format characters, characters
 * that a font may ignore (UTS #39, section 3.1, restricts them in identifiers), and blanks that are
 * classified as symbols or marks.
 */
// eslint-disable-next-line no-restricted-syntax -- tested by patterns.spec.ts
export const invisible = new RegExp(
  String.raw`(${sequences.join('|')})|[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}]`,
  'gu',
);
const withoutInvisible = (value: string): string =>
  value.replaceAll(invisible, (_, permitted: string | undefined) => permitted ?? '');

// Invisible letters, such as the Hangul fillers, are default-ignorable; the Braille blank is not
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

// One error per text: NUL is also a control character, and an unpaired surrogate does not count as
// visible
const isValidSoFar = ({ issues }: { readonly issues: readonly unknown[] }): boolean => issues.length === 0;

/**
 * Text of a title, without invisible characters and without characters that change the text
 * direction. Line breaks and tabs are stored as sent, and shown as spaces.
 */
export const visibleText = (minimum: number, maximum: number) =>
  text(minimum, maximum)
    .refine((value) => value.search(controlExceptLineBreaks) === -1, {
      error: 'must not contain control characters',
      when: isValidSoFar,
    })
    .refine((value) => withoutInvisible(value) === value, {
      error: 'must not contain invisible characters',
      when: isValidSoFar,
    })
    .refine((value) => value === '' || visible.test(value), { error: 'must not be blank', when: isValidSoFar });

/** Text of a name: as `visibleText`, on one line. */
export const visibleLine = (minimum: number, maximum: number) =>
  visibleText(minimum, maximum).refine((value) => value.search(control) === -1, {
    error: 'must be one line without control characters',
    when: isValidSoFar,
  });

/**
 * Returns a stored name or title without the invisible characters that `visibleLine` rejects, and
 * with spaces instead of control characters: older rows may contain them. Returns an empty string
 * if no visible character remains.
 */
export function toVisibleLine(stored: string | null): string {
  const line = withoutInvisible(stored ?? '').replaceAll(control, ' ');
  return visible.test(line) ? line : '';
}
