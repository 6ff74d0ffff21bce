import Negotiator from 'negotiator';
import { type Language, languages } from '#contracts';

/** Longer than any browser sends: negotiation takes time by the number of languages. */
const maxHeaderLength = 1_000;

/** The language of a response: the best match of `Accept-Language` by weight (RFC 9110, 12.5.4), else English. */
export function languageOf(header: string | undefined): Language {
  if (header === undefined) return 'en';
  const headers = { 'accept-language': header.slice(0, maxHeaderLength) };
  // Only those of the list come back
  return (new Negotiator({ headers }).language([...languages]) as Language | undefined) ?? 'en';
}
