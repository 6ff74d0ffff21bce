import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** The part that one address may have of all connections, and of the rate at which their rejected bodies are read. */
export const addressShare = 1 / 4;

/**
 * The network address that a person comes from, as attempts are counted by: an IPv4 address, or the first 64 bits of an
 * IPv6 address, which is what one household gets.
 */
export const addressOf = ({ ip }: FastifyRequest): string => networkOf(ip);

/** The same of an address as text; `unknown` when it is none. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
