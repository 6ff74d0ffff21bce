import { problems } from '#contracts';
import { DomainError } from '#kernel';

const path = 'body.text';
/** Enough to find them in the text. */
const namedAtMost = 5;

export function blankText(): DomainError {
  const message = 'must have something to print, not only spaces';
  return new DomainError(problems['text.blank'], `The text ${message}.`, [{ path, message }]);
}

/** Names the characters also by number: what our fonts lack, the reader's may lack too. */
export function notPrintable(characters: readonly string[]): DomainError {
  const named = characters.slice(0, namedAtMost).map((it) => `${it} (${codeOf(it)})`);
  const rest = characters.length - named.length;
  const message = `has characters that no font of ours has: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return new DomainError(problems['text.not-printable'], `The text ${message}.`, [{ path, message }]);
}

const codeOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
