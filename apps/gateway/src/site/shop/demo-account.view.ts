import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { GatewayEnv } from '../../env.js';

/** Account for trying out the shop on a development machine. */
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
 * Returns the demo account if only this machine can reach the shop, else null.
 *
 * The listening address, the base address and the `Host` header must all be loopback. The `Host`
 * header excludes tunnels, and other sites whose names resolve to this machine (DNS rebinding).
 */
export function demoAccountIfLocal(
  { DEMO_ACCOUNT, BASE_URL, HOST }: Pick<GatewayEnv, 'DEMO_ACCOUNT' | 'BASE_URL' | 'HOST'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): DemoAccount | null {
  const hosts = [HOST, new URL(BASE_URL).hostname, hostNameOf(headers.host ?? '')];
  return DEMO_ACCOUNT !== undefined && hosts.every(isLoopback) ? DEMO_ACCOUNT : null;
}
