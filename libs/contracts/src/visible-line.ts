import { text } from './field.js';

const control = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
const controlButLineBreaks = /(?![\t\n\r])\p{Cc}/u;
// U+200D joins emoji to one, and is invisible everywhere else
const format =
  /(?!\u200d)\p{Cf}|(?<!\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;
// Letters without a shape, such as the Hangul fillers, are among those that may be ignored; Braille has its own blank
const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

// One complaint about one text: NUL is a control character, half of a surrogate pair is not visible
const when = ({ issues }: { readonly issues: readonly unknown[] }): boolean => issues.length === 0;

/**
 * A title: nothing in it that is invisible or changes the direction of the text around it. Emoji may be joined. Line breaks
 * and tabs are stored as sent, and shown as spaces.
 */
export const visibleText = (minimum: number, maximum: number) =>
  text(minimum, maximum)
    .refine((value) => value.search(controlButLineBreaks) === -1, {
      error: 'must not contain control characters',
      when,
    })
    .refine((value) => value.search(format) === -1, { error: 'must not contain characters that only format', when })
    .refine((value) => value === '' || visible.test(value), { error: 'must not be blank', when });

/** A name: like a title, and one line. */
export const visibleLine = (minimum: number, maximum: number) =>
  visibleText(minimum, maximum).refine((value) => value.search(control) === -1, {
    error: 'must be one line without control characters',
    when,
  });

/**
 * Returns a name or a title that is older than the rule of `visibleLine` without what that rejects; the empty text when
 * nothing visible is left.
 */
export function toVisibleLine(stored: string | null): string {
  const line = (stored ?? '').replaceAll(format, '').replaceAll(control, ' ');
  return visible.test(line) ? line : '';
}
