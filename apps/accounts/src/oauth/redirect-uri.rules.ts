import { redirectUriProblems } from '#contracts';

const maxLength = 2_000;

// RFC 3986, section 2: characters of a URI, except `#`
const uriCharacters = /^(?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[\da-fA-F]{2})*$/;

/**
 * Loopback address with any port: an application on the user's machine listens on a port that the
 * system assigns (RFC 8252, section 7.3).
 */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d+)?(?=[/?]|$)/;

/**
 * Returns true for a scheme in the form of a reversed domain name, such as `com.example.app:` (RFC
 * 8252, section 7.1). The host in a URI with a custom scheme belongs to no one, so the scheme
 * itself should name a domain of the owner.
 */
const isReverseDomain = (scheme: string): boolean => /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:$/.test(scheme);

/** Returns true if parsing does not change the URI, except for the slash after a bare host. */
const isNormalized = ({ href }: URL, uri: string): boolean => href === uri || href === `${uri}/`;

/**
 * Parameters of the authorization response (RFC 6749, section 4.1.2; RFC 9207). If the registered
 * query had one of them, the response would have it twice.
 */
const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];

const rules: readonly (readonly [isViolated: (uri: string, url: URL) => boolean, problem: string])[] = [
  [(_, url) => url.username !== '' || url.password !== '', redirectUriProblems.credentials],
  [(uri, { protocol }) => protocol === 'http:' && !loopback.test(uri), redirectUriProblems.http],
  [
    (_, { protocol }) => !['http:', 'https:'].includes(protocol) && !isReverseDomain(protocol),
    redirectUriProblems.scheme,
  ],
  [(uri, url) => !isNormalized(url, uri), redirectUriProblems.spelling],
  [(_, { searchParams }) => responseParameters.some((name) => searchParams.has(name)), redirectUriProblems.parameters],
];

/**
 * Returns why a redirect URI cannot be registered, as a phrase that follows its path ("must ..."),
 * or null when the URI is valid. Valid are `https` with any host, `http` with a loopback address
 * only, and reversed domain names as schemes of native applications (RFC 8252, section 7.1), which
 * excludes `javascript:`, `data:` and similar schemes. The maximum is 2,000 characters. Only
 * normalized URIs are valid, so that browsers, servers and this code agree about the host, and URIs
 * can be compared as strings.
 */
export function findRedirectUriError(uri: string): string | null {
  if (uri.length > maxLength) return redirectUriProblems.length;
  if (uri.includes('#')) return redirectUriProblems.fragment;
  if (uri.includes('*')) return redirectUriProblems.wildcard;
  if (!uriCharacters.test(uri)) return redirectUriProblems.characters;
  if (!URL.canParse(uri)) return redirectUriProblems.relative;
  const url = new URL(uri);
  return rules.find(([isViolated]) => isViolated(uri, url))?.[1] ?? null;
}

/**
 * Returns true if the redirect URI of a request equals the registered one (RFC 9700, section 2.1),
 * except for the port of a loopback address.
 */
export function matchesRedirectUri(registered: string, given: string): boolean {
  if (given === registered) return true;
  if (!loopback.test(registered) || !loopback.test(given)) return false;
  const withoutPort = (uri: string) => uri.replace(loopback, '$1');
  return withoutPort(given) === withoutPort(registered) && URL.canParse(given);
}

/**
 * Returns the redirect URI with the response parameters appended to its query, which stays as
 * registered (RFC 6749, section 3.1.2).
 */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  return redirectUri + separator + new URLSearchParams(parameters).toString();
}
