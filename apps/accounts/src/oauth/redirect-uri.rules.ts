import { redirectUriProblems } from '#contracts';

/**
 * Where a code may be sent. Browsers, servers and this code must never disagree about which host an address leads to:
 * only addresses whose spelling leaves no room for that are registered, and then they are compared as strings.
 */

const maximumLength = 2_000;

// RFC 3986, section 2: what a URI may be written with, but the fragment sign
const uriCharacters = /^(?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[\da-fA-F]{2})*$/;

/** An application on the user's own machine listens on whatever port it gets (RFC 8252, section 7.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d+)?(?=[/?]|$)/;

/** The host of a custom scheme leads nowhere that anybody could own, hence the scheme itself is the owner's domain. */
const isReverseDomain = (scheme: string): boolean => /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:$/.test(scheme);

/** What is read back is what was written; only the slash that ends a bare host may be left out. */
const readsBack = ({ href }: URL, uri: string): boolean => href === uri || href === `${uri}/`;

/** What the answer to an application adds (RFC 6749, section 4.1.2; RFC 9207): in the query already, it would be there twice. */
const answered = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];

const rules: readonly (readonly [broken: (uri: string, url: URL) => boolean, problem: string])[] = [
  [(_, url) => url.username !== '' || url.password !== '', redirectUriProblems.credentials],
  [(uri, { protocol }) => protocol === 'http:' && !loopback.test(uri), redirectUriProblems.http],
  [
    (_, { protocol }) => !['http:', 'https:'].includes(protocol) && !isReverseDomain(protocol),
    redirectUriProblems.scheme,
  ],
  [(uri, url) => !readsBack(url, uri), redirectUriProblems.spelling],
  [(_, { searchParams }) => answered.some((name) => searchParams.has(name)), redirectUriProblems.parameters],
];

/**
 * Why a redirect URI cannot be registered, in words that fit behind its path ("must ..."), or null when it can. `https`
 * with any host, `http` for this machine only, and reversed domain names as schemes of native applications (RFC 8252,
 * section 7.1), which leaves no room for `javascript:`, `data:` and their kind. At most 2,000 characters.
 */
export function redirectUriProblem(uri: string): string | null {
  if (uri.length > maximumLength) return redirectUriProblems.length;
  if (uri.includes('#')) return redirectUriProblems.fragment;
  if (uri.includes('*')) return redirectUriProblems.wildcard;
  if (!uriCharacters.test(uri)) return redirectUriProblems.characters;
  if (!URL.canParse(uri)) return redirectUriProblems.relative;
  const url = new URL(uri);
  return rules.find(([broken]) => broken(uri, url))?.[1] ?? null;
}

/**
 * Whether a request may name this address, when the other was registered: the same string (RFC 9700, section 2.1), but
 * for the port on a loopback address.
 */
export function matchesRedirectUri(registered: string, given: string): boolean {
  if (given === registered) return true;
  if (!loopback.test(registered) || !loopback.test(given)) return false;
  const withoutPort = (uri: string) => uri.replace(loopback, '$1');
  return withoutPort(given) === withoutPort(registered) && URL.canParse(given);
}

/** The address with what the application is told; a query of its own stays as it was registered (RFC 6749, section 3.1.2). */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  const joint = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  return redirectUri + joint + new URLSearchParams(parameters).toString();
}
