import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressRejected } from './texture.errors.js';

/**
 * Internal hosts that textures may be fetched from, as `host` (any port) or `host:port`.
 */
export type AllowedHosts = ReadonlySet<string>;

interface HostAndPort {
  readonly hostname: string;
  readonly port: number;
}

export const isAllowedHost = ({ hostname, port }: HostAndPort, allowed: AllowedHosts): boolean =>
  allowed.has(hostname.toLowerCase()) || allowed.has(`${hostname.toLowerCase()}:${port}`);

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
// In a public range, but inside Azure the address of an internal platform service
const internalInPublicRange = new Set(['168.63.129.16']);

/**
 * Returns true for an IP address (in numeric form, as from a socket or the DNS) of the public
 * internet. Returns false for loopback, private, link-local, shared, multicast, reserved and
 * documentation ranges. Returns false too for every IPv6 form that carries an IPv4 address to
 * another host (6to4, Teredo, NAT64, translated). An IPv4-mapped address is checked as its IPv4
 * address.
 */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  const it = ipaddr.process(bare);
  if (it.range() !== 'unicast' || internalInPublicRange.has(it.toString())) return false;
  return it.kind() === 'ipv4' || (it as ipaddr.IPv6).match(globalUnicast);
}

/**
 * Returns the network of a public IP address: an IPv4 address, or the first 64 bits of an IPv6
 * address, which are usually assigned to one server.
 */
export function networkOf(address: string): string {
  const it = ipaddr.process(address.split('%')[0]!);
  if (it.kind() === 'ipv4') return it.toString();
  return `${(it as ipaddr.IPv6).parts.slice(0, 4).join(':')}::/64`;
}

/** Returns the host of a URL without the brackets of an IPv6 literal. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));

/**
 * Parses the URL of a texture and validates everything that needs no DNS query. WHATWG parsing
 * first normalizes every spelling of an IP address (decimal, octal, hexadecimal, shortened,
 * full-width).
 *
 * @param base the URL of the response that redirected here
 * @throws DomainError `texture.address-refused`
 */
export function textureUrl(text: string, allowed: AllowedHosts, base?: string): URL {
  if (!URL.canParse(text, base)) throw addressRejected('it is not a URL');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw addressRejected('it must be http or https');
  if (url.username !== '' || url.password !== '')
    throw addressRejected('it must not contain a user name or a password');
  const host: HostAndPort = { hostname: url.hostname, port: portOf(url) };
  if (isAllowedHost(host, allowed)) return url;
  if (host.port !== 80 && host.port !== 443) throw addressRejected('its port must be 80 or 443');
  const bare = bareHost(host.hostname);
  if (isIP(bare) !== 0 && !isPublicAddress(bare)) throw addressRejected('it is not on the public internet');
  // RFC 6761: these names mean this machine, independent of the DNS
  if (/^(?:.*\.)?localhost\.?$/.test(bare)) throw addressRejected('it is not on the public internet');
  return url;
}
