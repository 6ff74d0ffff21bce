import { problems } from '#contracts';
import { DomainError } from '#kernel';

const path = 'body.text';
/** Limit of listed characters, which suffices to find them in the text. */
const maxListed = 5;

export function blankText(): DomainError {
  const message = 'must contain visible characters, not only spaces';
  return new DomainError(problems['text.blank'], `The text ${message}.`, [{ path, message }]);
}

/**
 * Lists the characters with their code points, because the fonts of the client may not contain them
 * either. The pages read the code points and the number of further characters.
 */
export function notPrintable(characters: readonly string[]): DomainError {
  const listed = characters.slice(0, maxListed).map((it) => `${it} (${codeOf(it)})`);
  const rest = characters.length - listed.length;
  const message = `has characters that are in none of the fonts: ${listed.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return new DomainError(problems['text.not-printable'], `The text ${message}.`, [{ path, message }]);
}

const codeOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
