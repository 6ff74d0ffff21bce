import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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
  const prefix = (it as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}
