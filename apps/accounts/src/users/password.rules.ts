import { dictionary } from '@zxcvbn-ts/language-common';
import { easyToGuess } from './user.errors.js';

const minimumLength = 10;
/** `aaaaaaaaaa` and `1212121212` are in no list of words. */
const minimumDifferent = 5;

/**
 * Passwords that people were seen to choose, lower-case: those of the list that are long enough to be chosen here, 1,557
 * of 49,233. Loading the list takes some 50 ms and keeps 3 MB, once per process.
 */
const common: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter(({ length }) => length >= minimumLength),
);

/** Whose password it is to be. */
interface PasswordOwner {
  readonly name: string;
  readonly email: string;
}

/** Without the digits and signs that people put behind a word, unless there is nothing else. */
const wordOf = (text: string): string => text.replace(/(?<!\P{L})\P{L}+$/u, '') || text;

/**
 * Why nobody may choose this password, as a sentence; undefined when it is a good one. At least 10 code points, as it is
 * hashed (NFKC), 5 of them different; none of the common ones in any case; not the owner's own name, e-mail address or what
 * stands before its @, with or without digits and signs behind. Nothing else is asked of it (NIST SP 800-63B, 3.1.1.2): no
 * kinds of characters, no change after a time.
 */
export function passwordProblem(password: string, { name, email }: PasswordOwner): string | undefined {
  const chosen = password.normalize('NFKC').toLowerCase();
  const characters = Array.from(chosen);
  if (characters.length < minimumLength) return `The password has fewer than ${minimumLength} characters.`;
  if (new Set(characters).size < minimumDifferent)
    return `The password has fewer than ${minimumDifferent} different characters.`;
  if (common.has(chosen)) return 'The password is a common one.';
  const own = [name, email, email.slice(0, email.lastIndexOf('@'))].map((it) => wordOf(it.toLowerCase()));
  if (own.includes(wordOf(chosen))) return 'The password is the name or the e-mail address of its owner.';
  return undefined;
}

/** Throws `password.easy-to-guess` when the owner may not choose this password. */
export function checkPassword(password: string, owner: PasswordOwner): void {
  const problem = passwordProblem(password, owner);
  if (problem !== undefined) throw easyToGuess(problem);
}
