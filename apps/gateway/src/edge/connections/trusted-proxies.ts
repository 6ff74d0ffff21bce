import ipaddr from 'ipaddr.js';

/** Networks with a name: this machine, this link, private addresses, as Fastify defines them; here by ipaddr.js's ranges. */
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
 * What the operator is told at the start about the way that clients come. HTTPS is what a proxy in front speaks, unless the
 * gateway does, and when the proxy is not trusted, everybody has its address. Undefined when there is nothing to say.
 */
export function addressWarning(env: {
  readonly BASE_URL: string;
  readonly TRUSTED_PROXIES: false | readonly string[];
  readonly TLS_CERT_FILE?: string | undefined;
}): string | undefined {
  const saysHttps = env.BASE_URL.startsWith('https:');
  const servesHttps = env.TLS_CERT_FILE !== undefined;
  if (servesHttps && !saysHttps) return 'TLS_CERT_FILE is set and BASE_URL is http: links and redirects lead to HTTP';
  if (!saysHttps || servesHttps || env.TRUSTED_PROXIES) return undefined;
  return 'BASE_URL is https and TRUSTED_PROXIES is empty: behind a proxy, all attempts to sign in count as its own';
}

/** What `TRUSTED_PROXIES` names, and what of it is no address, no network (`10.0.0.0/8`) and no word. */
export function readTrustedProxies(text: string): { readonly proxies: string[]; readonly wrong: string[] } {
  const proxies = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return { proxies, wrong: proxies.filter((it) => !rangesOf.has(it) && !isAddress(it) && !isNetwork(it)) };
}

/** Whether the address of a connection is one of those that `TRUSTED_PROXIES` names. */
export function isTrustedProxy(proxies: readonly string[], text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return proxies.some((entry) => {
    const ranges = rangesOf.get(entry);
    if (ranges) return ranges.includes(address.range());
    const [network = '', bits] = entry.split('/');
    const first = ipaddr.process(network);
    // A network of IPv4 written as one of IPv6 is longer by the 96 bits in front
    const mapped = network.includes(':') && first.kind() === 'ipv4' ? 96 : 0;
    const whole = first.kind() === 'ipv4' ? 32 : 128;
    return first.kind() === address.kind() && address.match(first, bits === undefined ? whole : Number(bits) - mapped);
  });
}
