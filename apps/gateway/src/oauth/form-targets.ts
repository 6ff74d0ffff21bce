const parsed = (redirectUri: string): URL | undefined => (URL.canParse(redirectUri) ? new URL(redirectUri) : undefined);

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

/**
 * Where the form of a consent page may lead besides this site, as sources for `form-action`: browsers stop the redirect
 * that answers a form, too. The address comes from a stranger and the sources stand in a header, so only what is spelled
 * as a source is let through; of anything else there is none, and the browser stays here.
 */
export function formTargetsOf(redirectUri: string): readonly string[] {
  const url = parsed(redirectUri);
  if (!url) return [];
  if (!isWeb(url)) return /^[a-z][a-z0-9+.-]*:$/.test(url.protocol) ? [url.protocol] : [];
  // A policy cannot name an IPv6 address (`[::1]` of this device): the scheme is the narrowest there is
  if (url.hostname.startsWith('[')) return [url.protocol];
  return /^[a-z0-9._-]+(?::\d+)?$/.test(url.host) ? [url.origin] : [];
}

/** Who gets the answer: a site, a program on the person's own device, or an app that opens addresses of a scheme. */
export type Destination = { readonly kind: 'site' | 'device' | 'app'; readonly name: string };

/** What the person is told about the address that the answer goes to. */
export function destinationOf(redirectUri: string): Destination {
  const url = parsed(redirectUri);
  if (!url) return { kind: 'site', name: redirectUri };
  if (!isWeb(url)) return { kind: 'app', name: url.protocol };
  const isLoopback = /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(url.hostname);
  return { kind: isLoopback ? 'device' : 'site', name: url.host };
}
