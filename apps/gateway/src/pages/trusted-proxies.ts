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

/** What `TRUSTED_PROXIES` names, and what of it is no address, no network (`10.0.0.0/8`) and no word. */
export function readTrustedProxies(text: string): { readonly proxies: string[]; readonly wrong: string[] } {
  const proxies = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return { proxies, wrong: proxies.filter((it) => !words.includes(it) && !isAddress(it) && !isNetwork(it)) };
}
