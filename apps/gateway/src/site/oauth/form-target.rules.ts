const parsed = (redirectUri: string): URL | undefined => (URL.canParse(redirectUri) ? new URL(redirectUri) : undefined);

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

const isLoopback = ({ hostname }: URL): boolean => /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname);

/**
 * Where the form of a consent page may lead besides this site, as sources for `form-action`. Browsers hold every redirect
 * that follows the form against them, not only the one to the application: one that goes on from its callback to another
 * host would be stopped there. So they name schemes, and of plain HTTP this device alone.
 *
 * @returns nothing that a stranger has written but the scheme of an app, and that only where it is spelled as one
 */
export function formTargetsOf(redirectUri: string): readonly string[] {
  const url = parsed(redirectUri);
  if (!url) return [];
  if (url.protocol === 'https:') return ['https:'];
  if (!isWeb(url)) return /^[a-z][a-z0-9+.-]*:$/.test(url.protocol) ? [url.protocol] : [];
  if (!isLoopback(url)) return [];
  // A policy cannot name an IPv6 address: the scheme is the narrowest there is
  if (url.hostname === '[::1]') return ['https:', 'http:'];
  return ['https:', 'http://127.0.0.1:*', 'http://localhost:*'];
}

/** Who gets the answer: a site, a program on the person's own device, or an app that opens addresses of a scheme. */
export type Destination = { readonly kind: 'site' | 'device' | 'app'; readonly name: string };

/** What the person is told about the address that the answer goes to. */
export function destinationOf(redirectUri: string): Destination {
  const url = parsed(redirectUri);
  if (!url) return { kind: 'site', name: redirectUri };
  if (!isWeb(url)) return { kind: 'app', name: url.protocol };
  return { kind: isLoopback(url) ? 'device' : 'site', name: url.host };
}
