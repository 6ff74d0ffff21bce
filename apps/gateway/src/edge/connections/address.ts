import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Maximum share of one address in all connections, and in the rate of reading rejected bodies. */
export const addressShare = 1 / 4;

/**
 * Returns the network address of a client, by which limits count: an IPv4 address, or the first 64
 * bits of an IPv6 address, the usual prefix of one household. `unknown` for an invalid address.
 */
export const addressOf = ({ ip }: FastifyRequest): string => networkOf(ip);

/** Returns the network address of an IP address; `unknown` if it is invalid. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
