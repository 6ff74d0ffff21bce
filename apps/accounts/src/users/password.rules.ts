import { dictionary } from '@zxcvbn-ts/language-common';
import type { DomainError } from '#kernel';
import { passwordEasyToGuess } from './user.errors.js';

const minLength = 10;
/** Rejects `aaaaaaaaaa` and `1212121212`, which are not in the list of common passwords. */
const minDifferentCharacters = 5;

/**
 * Common passwords in lower case: those of the list that have the minimum length, 1,557 of 49,233.
 * Loading the list takes some 50 ms and 3 MB of memory, once per process.
 */
const commonPasswords: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter(({ length }) => length >= minLength),
);

/** User who chooses the password. */
interface PasswordOwner {
  readonly name: string;
  readonly email: string;
}

/** Removes digits and other non-letters from the end, unless nothing would remain. */
const withoutSuffix = (text: string): string => text.replace(/(?<!\P{L})\P{L}+$/u, '') || text;

/**
 * Returns why a user may not choose this password, as a sentence, or undefined when it is allowed.
 * After normalization (NFKC, as before hashing) and without regard to case, a password needs at
 * least 10 code points, 5 of them different. It must not be a common password, or the owner's name,
 * e-mail address or the part of the address before `@`; for the latter three, non-letters at the
 * end are ignored. There are no other rules, such as classes of characters or an expiry (NIST
 * SP 800-63B, 3.1.1.2).
 */
export function findPasswordError(password: string, { name, email }: PasswordOwner): string | undefined {
  const chosen = password.normalize('NFKC').toLowerCase();
  const characters = Array.from(chosen);
  if (characters.length < minLength) return `The password has fewer than ${minLength} characters.`;
  if (new Set(characters).size < minDifferentCharacters)
    return `The password has fewer than ${minDifferentCharacters} different characters.`;
  if (commonPasswords.has(chosen)) return 'The password is too common.';
  const own = [name, email, email.slice(0, email.lastIndexOf('@'))].map((it) => withoutSuffix(it.toLowerCase()));
  if (own.includes(withoutSuffix(chosen))) return 'The password must not be the user name or the email address.';
  return undefined;
}

/** Throws `password.easy-to-guess` when the owner may not choose this password. */
export function assertPasswordStrength(password: string, owner: PasswordOwner): void {
  const rejection = passwordRejection(password, owner);
  if (rejection) throw rejection;
}

/** Returns the error of a password that the owner may not choose, else undefined. */
export function passwordRejection(password: string, owner: PasswordOwner): DomainError | undefined {
  const problem = findPasswordError(password, owner);
  return problem === undefined ? undefined : passwordEasyToGuess(problem);
}
