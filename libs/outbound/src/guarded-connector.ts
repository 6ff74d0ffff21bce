import { promises as dns } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { notPublic } from './address-not-allowed.js';
import { type AllowedHosts, bareHost, isAllowedHost, portOf } from './outbound-url.js';
import { isPublicAddress } from './public-address.js';

interface ConnectorOptions {
  readonly allowedHosts: AllowedHosts;
  /** Timeout of a connection in milliseconds, including DNS queries and the TLS handshake. */
  readonly timeoutMs: number;
  readonly resolver?: dns.Resolver;
  /** Called with the remote address of each connection before its first request. */
  readonly onConnected?: (address: string) => void;
}

/**
 * Sends DNS queries without a thread of the pool. `dns.lookup` would block one of the four threads,
 * which files and images need too, for as long as a slow name server takes.
 */
const defaultResolver = new dns.Resolver({ timeout: 2_000, tries: 2 });

/**
 * Returns a connector of undici that connects to allowed hosts and public addresses only. It checks
 * literal addresses, which need no DNS lookup; every address that the DNS returns; and the address
 * that the socket is connected to. The last check makes a second, different response of a hostile
 * name server (DNS rebinding) useless.
 *
 * Connections fail with `AddressNotAllowed`, or with the error of the resolver or the socket.
 */
export function guardedConnector({
  allowedHosts,
  timeoutMs,
  resolver = defaultResolver,
  onConnected,
}: ConnectorOptions): buildConnector.connector {
  const limits = { timeout: timeoutMs };
  const plain = buildConnector(limits);
  const guarded = buildConnector({ ...limits, lookup: publicLookup(resolver) });
  return (options, connected) => {
    const callback: buildConnector.Callback = (...[error, socket]) => {
      if (socket?.remoteAddress !== undefined) onConnected?.(socket.remoteAddress);
      if (error) connected(error, null);
      else connected(null, socket);
    };
    if (isAllowedHost({ hostname: options.hostname, port: portOf(options) }, allowedHosts)) {
      plain(options, callback);
      return;
    }
    const literal = bareHost(options.hostname);
    if (isIP(literal) !== 0 && !isPublicAddress(literal)) {
      callback(notPublic(), null);
      return;
    }
    guarded(options, (...[error, socket]) => {
      if (error) callback(error, null);
      else if (isPublicAddress(socket.remoteAddress ?? '')) callback(null, socket);
      else {
        socket.destroy();
        callback(notPublic(), null);
      }
    });
  };
}

const publicLookup =
  (resolver: dns.Resolver): LookupFunction =>
  (hostname, options, callback) => {
    resolvePublic(resolver, hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(notPublic(), '');
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    );
  };

/**
 * Returns the public addresses of a name. A name that is unknown, has no address or resolves to an
 * internal address is rejected with the same error, after both DNS queries have finished: clients
 * must not learn which names exist in the internal network.
 */
async function resolvePublic(resolver: dns.Resolver, hostname: string): Promise<{ address: string; family: 4 | 6 }[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (four.status === 'rejected' && six.status === 'rejected')
    throw [four.reason, six.reason].find((reason) => !hasNoAddress(reason)) ?? notPublic();
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 as const })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 as const })),
  ];
  // One internal address is enough to reject the name: attackers add a public one to pass checks
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw notPublic();
  return addresses;
}

/** Returns true for a DNS response without an address of the name. */
const hasNoAddress = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '');
