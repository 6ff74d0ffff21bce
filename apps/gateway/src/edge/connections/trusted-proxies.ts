import ipaddr from 'ipaddr.js';

/**
 * Named networks as defined by Fastify: loopback, link-local and private addresses, by ranges of
 * ipaddr.js.
 */
const rangesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['loopback']],
  ['linklocal', ['linkLocal']],
  ['uniquelocal', ['private', 'uniqueLocal']],
]);

const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !isAddress(address) || !/^[1-9]\d{0,2}$/.test(bits)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}

/**
 * Returns a startup warning if BASE_URL does not match TLS_CERT_FILE and TRUSTED_PROXIES. HTTPS
 * without a certificate of the gateway implies a proxy; if the proxy is not trusted, all clients
 * appear to have the proxy's address. Undefined if the settings match.
 */
export function addressWarning(env: {
  readonly BASE_URL: string;
  readonly TRUSTED_PROXIES: false | readonly string[];
  readonly TLS_CERT_FILE?: string | undefined;
}): string | undefined {
  const isHttps = env.BASE_URL.startsWith('https:');
  const servesHttps = env.TLS_CERT_FILE !== undefined;
  if (servesHttps && !isHttps) return 'TLS_CERT_FILE is set and BASE_URL is http: links and redirects lead to HTTP';
  if (!isHttps || servesHttps || env.TRUSTED_PROXIES) return undefined;
  return 'BASE_URL is https and TRUSTED_PROXIES is empty: behind a proxy, the sign-in attempts of all clients count for its address';
}

/**
 * Parses `TRUSTED_PROXIES`: returns all entries as `proxies`, and those that are no address,
 * network (`10.0.0.0/8`) or named network as `invalid`.
 */
export function readTrustedProxies(text: string): { readonly proxies: string[]; readonly invalid: string[] } {
  const proxies = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return { proxies, invalid: proxies.filter((it) => !rangesOf.has(it) && !isAddress(it) && !isNetwork(it)) };
}

/** Returns whether `TRUSTED_PROXIES` contains an address. */
export function isTrustedProxy(proxies: readonly string[], text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return proxies.some((entry) => {
    const ranges = rangesOf.get(entry);
    if (ranges) return ranges.includes(address.range());
    const [network = '', bits] = entry.split('/');
    const first = ipaddr.process(network);
    // An IPv4-mapped network has a prefix of 96 additional bits
    const mapped = network.includes(':') && first.kind() === 'ipv4' ? 96 : 0;
    const whole = first.kind() === 'ipv4' ? 32 : 128;
    return first.kind() === address.kind() && address.match(first, bits === undefined ? whole : Number(bits) - mapped);
  });
}
