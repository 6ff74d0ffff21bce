import ipaddr from 'ipaddr.js';

/** Networks with a name: this machine, this link, private addresses. The server knows what belongs to each. */
const words: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !isAddress(address) || !/^[1-9]\d{0,2}$/.test(bits)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}

/**
 * What the operator is told at the start: HTTPS is what a proxy in front speaks, and when it is not trusted, everybody has
 * its address. Undefined when there is nothing to say.
 */
export function proxyWarning(baseUrl: string, trusted: false | readonly string[]): string | undefined {
  if (!baseUrl.startsWith('https:') || trusted) return undefined;
  return 'BASE_URL is https and TRUSTED_PROXIES is empty: behind a proxy, all attempts to sign in count as its own';
}

/** What `TRUSTED_PROXIES` names, and what of it is no address, no network (`10.0.0.0/8`) and no word. */
export function readTrustedProxies(text: string): { readonly proxies: string[]; readonly wrong: string[] } {
  const proxies = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return { proxies, wrong: proxies.filter((it) => !words.includes(it) && !isAddress(it) && !isNetwork(it)) };
}
