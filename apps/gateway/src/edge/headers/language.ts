import Negotiator from 'negotiator';
import { type Language, languages } from '#contracts';

/**
 * Maximum number of characters that are read, more than any browser sends. Longer headers are
 * truncated, because negotiation time grows with the number of languages.
 */
const maxHeaderLength = 1_000;

/**
 * Returns the language of a response: the best match of `Accept-Language` by weight (RFC 9110,
 * 12.5.4), else the default, which `*` selects, too.
 */
export function languageOf(header: string | undefined, defaultLanguage: Language = 'en'): Language {
  if (header === undefined) return defaultLanguage;
  const headers = { 'accept-language': header.slice(0, maxHeaderLength) };
  const available = new Set([defaultLanguage, ...languages]);
  // The result is one of `available`
  return (new Negotiator({ headers }).language([...available]) as Language | undefined) ?? defaultLanguage;
}
