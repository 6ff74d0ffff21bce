import { isLoopback } from '#kernel';

const parseUrl = (redirectUri: string): URL | undefined =>
  URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

/**
 * Returns the additional `form-action` sources of a consent page.
 *
 * Browsers apply `form-action` to every redirect that follows the form, not only to the redirect to
 * the application. A callback that redirects to another host would be blocked, so the sources are
 * schemes. For plain HTTP they are limited to the loopback hosts where the policy can name them.
 *
 * @returns sources with no part of the redirect URI except a well-formed scheme
 */
export function formTargetsOf(redirectUri: string): readonly string[] {
  const url = parseUrl(redirectUri);
  if (!url) return [];
  if (url.protocol === 'https:') return ['https:'];
  if (!isWeb(url)) return /^[a-z][a-z0-9+.-]*:$/.test(url.protocol) ? [url.protocol] : [];
  if (!isLoopback(url)) return [];
  // CSP cannot name an IPv6 address; the scheme is the narrowest source
  if (url.hostname === '[::1]') return ['https:', 'http:'];
  return ['https:', 'http://127.0.0.1:*', 'http://localhost:*'];
}

/**
 * Recipient of the decision: a website, a program on the user's device, or an app with its own URI
 * scheme.
 */
export type Destination = { readonly kind: 'site' | 'device' | 'app'; readonly name: string };

/** Returns the recipient that the consent page names for a redirect URI. */
export function destinationOf(redirectUri: string): Destination {
  const url = parseUrl(redirectUri);
  if (!url) return { kind: 'site', name: redirectUri };
  if (!isWeb(url)) return { kind: 'app', name: url.protocol };
  return { kind: isLoopback(url) ? 'device' : 'site', name: url.host };
}
