import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressRefused } from './texture.errors.js';

/** Hosts, as `host` (any port) or `host:port`, that textures may come from although they are inside the network. */
export type AllowedHosts = ReadonlySet<string>;

interface HostAndPort {
  readonly hostname: string;
  readonly port: number;
}

export const isAllowedHost = ({ hostname, port }: HostAndPort, allowed: AllowedHosts): boolean =>
  allowed.has(hostname.toLowerCase()) || allowed.has(`${hostname.toLowerCase()}:${port}`);

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
// Public by its number, but the metadata service of a large cloud inside that cloud
const insideDespiteItsNumber = new Set(['168.63.129.16']);

/**
 * Whether an IP address (numbers, as a socket or the DNS gives it) belongs to the public internet. Refused are loopback,
 * private, link-local, shared, multicast, reserved and documentation ranges, and every IPv6 form that carries an IPv4
 * address to somewhere else (6to4, Teredo, NAT64, translated); an IPv4-mapped address counts as the IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  const it = ipaddr.process(bare);
  if (it.range() !== 'unicast' || insideDespiteItsNumber.has(it.toString())) return false;
  return it.kind() === 'ipv4' || (it as ipaddr.IPv6).match(globalUnicast);
}

/** The network of a public IP address: an IPv4 address, or the first 64 bits of an IPv6 address, which one server gets. */
export function networkOf(address: string): string {
  const it = ipaddr.process(address.split('%')[0]!);
  if (it.kind() === 'ipv4') return it.toString();
  return `${(it as ipaddr.IPv6).parts.slice(0, 4).join(':')}::/64`;
}

/** The host of a URL without the brackets of an IPv6 literal. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));

/**
 * Reads the address of a texture and checks what can be checked without the DNS. WHATWG parsing brings every spelling
 * of an IP address (decimal, octal, hexadecimal, shortened, full-width) into one form first.
 *
 * @param base the address that redirected here
 * @throws DomainError `texture.address-refused`
 */
export function textureUrl(text: string, allowed: AllowedHosts, base?: string): URL {
  if (!URL.canParse(text, base)) throw addressRefused('it is not a URL');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw addressRefused('it must be http or https');
  if (url.username !== '' || url.password !== '') throw addressRefused('it must not contain a user name or a password');
  const host: HostAndPort = { hostname: url.hostname, port: portOf(url) };
  if (isAllowedHost(host, allowed)) return url;
  if (host.port !== 80 && host.port !== 443) throw addressRefused('its port must be 80 or 443');
  const bare = bareHost(host.hostname);
  if (isIP(bare) !== 0 && !isPublicAddress(bare)) throw addressRefused('it is not on the public internet');
  // RFC 6761: these names mean this machine, whatever a DNS server says
  if (/^(?:.*\.)?localhost\.?$/.test(bare)) throw addressRefused('it is not on the public internet');
  return url;
}
