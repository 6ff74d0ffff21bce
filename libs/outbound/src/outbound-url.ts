import { isIP } from 'node:net';
import { AddressNotAllowed, notPublic } from './address-not-allowed.js';
import { isPublicAddress } from './public-address.js';

/** Internal hosts that an operator allows, as `host` (any port) or `host:port`. */
export type AllowedHosts = ReadonlySet<string>;

interface HostAndPort {
  readonly hostname: string;
  readonly port: number;
}

export const isAllowedHost = ({ hostname, port }: HostAndPort, allowed: AllowedHosts): boolean =>
  allowed.has(hostname.toLowerCase()) || allowed.has(`${hostname.toLowerCase()}:${port}`);

type Protocol = 'http' | 'https';
type PortRange = readonly [first: number, last: number];

const anyProtocol: readonly Protocol[] = ['http', 'https'];

/** Rules for URLs. Allowed hosts may have either protocol and any port. */
export interface UrlRules {
  readonly protocols: readonly Protocol[];
  readonly ports: readonly (number | PortRange)[];
  readonly allowedHosts: AllowedHosts;
}

/** Returns the host of a URL without the brackets of an IPv6 literal. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

export const portOf = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

const rangeOf = (port: number | PortRange): PortRange => (typeof port === 'number' ? [port, port] : port);

/** Returns a list in words, such as `80, 443 or 1024 to 65535`. */
const listed = (all: readonly (string | number | PortRange)[]): string =>
  // In British English without a comma before "or"
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    all.map((each) => (typeof each === 'object' ? each.join(' to ') : String(each))),
  );

/**
 * Parses a URL and validates everything that needs no DNS query. WHATWG parsing first normalizes
 * every spelling of an IP address (decimal, octal, hexadecimal, shortened, full-width).
 *
 * @param base the URL of the response that redirected here
 * @throws AddressNotAllowed
 */
export function outboundUrl(text: string, rules: UrlRules, base?: string): URL {
  if (!URL.canParse(text, base)) throw new AddressNotAllowed('it is not a URL');
  const url = new URL(text, base);
  const host: HostAndPort = { hostname: url.hostname, port: portOf(url) };
  const isAllowed = isAllowedHost(host, rules.allowedHosts);
  const protocols = isAllowed ? anyProtocol : rules.protocols;
  if (!protocols.some((protocol) => url.protocol === `${protocol}:`))
    throw new AddressNotAllowed(`it must be ${listed(protocols)}`);
  if (url.username !== '' || url.password !== '')
    throw new AddressNotAllowed('it must not contain a user name or a password');
  if (isAllowed) return url;
  if (!rules.ports.map(rangeOf).some(([first, last]) => first <= host.port && host.port <= last))
    throw new AddressNotAllowed(`its port must be ${listed(rules.ports)}`);
  const bare = bareHost(host.hostname);
  if (isIP(bare) !== 0 && !isPublicAddress(bare)) throw notPublic();
  // RFC 6761: these names mean this machine, independent of the DNS
  if (/^(?:.*\.)?localhost\.?$/.test(bare)) throw notPublic();
  return url;
}
