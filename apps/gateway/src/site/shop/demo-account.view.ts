import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { GatewayEnv } from '../../env.js';

/** The account that a newcomer may try things with. */
interface DemoAccount {
  readonly name: string;
  readonly password: string;
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || (ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback');
}

const hostNameOf = (host: string): string => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '');

/**
 * The demo account, for whoever sits before the machine that the stack runs on: where the gateway listens, what its
 * address is, and what the browser calls it must all be this machine alone. The last keeps out tunnels, and other sites
 * that make a name of theirs lead here.
 */
export function demoAccountFor(
  { DEMO_ACCOUNT, BASE_URL, HOST }: Pick<GatewayEnv, 'DEMO_ACCOUNT' | 'BASE_URL' | 'HOST'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): DemoAccount | null {
  const hosts = [HOST, new URL(BASE_URL).hostname, hostNameOf(headers.host ?? '')];
  return DEMO_ACCOUNT !== undefined && hosts.every(isLoopback) ? DEMO_ACCOUNT : null;
}
