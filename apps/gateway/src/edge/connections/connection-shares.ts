import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { addressShare, networkOf } from './address.js';
import { httpMetrics } from '../observability/http-metrics.js';
import type { OpenRequests } from './open-requests.js';
import { isTrustedProxy } from './trusted-proxies.js';
import { connectionBelow } from '../server/tls.js';

/** Connections that the server accepts above the limit, each of which closes another connection. */
const headroom = 64;

interface Address {
  readonly isProxy: boolean;
  /**
   * Sockets of requests (with HTTPS the TLS socket) by TCP socket, in the order of the last
   * request, oldest first.
   */
  readonly connections: Map<Socket, Socket>;
}

/**
 * Returns the weight of an address. A trusted proxy counts as one connection, because it serves
 * many clients.
 */
const weightOf = ({ isProxy, connections }: Address): number => (isProxy ? 1 : connections.size);

/**
 * Limits connections per address; an IPv6 address counts by its first 64 bits. A new connection
 * above a limit is accepted, and another one is closed instead: if the address exceeds its share,
 * the longest idle connection of that address; if all connections are in use, the longest idle one
 * of the address with the most connections. If none is idle, the new connection is closed. Trusted
 * proxies have no limited share.
 */
export class ConnectionShares {
  private readonly addresses = new Map<string, Address>();
  private readonly addressOf = new WeakMap<Socket, Address>();
  private readonly perAddress: number;
  private readonly proxies: readonly string[];
  private count = 0;

  /** @param maxConnections limit of the connections of all addresses */
  constructor(
    private readonly maxConnections: number,
    trustedProxies: false | readonly string[],
    private readonly requests: OpenRequests,
  ) {
    this.perAddress = Math.ceil(maxConnections * addressShare);
    this.proxies = trustedProxies || [];
  }

  watch(server: Server): void {
    server.maxConnections = this.maxConnections + headroom;
    server.on('connection', (socket: Socket) => this.add(socket));
    server.on('secureConnection', (socket: TLSSocket) => {
      const below = connectionBelow(socket);
      const connections = below ? this.addressOf.get(below)?.connections : undefined;
      if (below && connections?.has(below)) connections.set(below, socket);
    });
    server.on('request', ({ socket }: IncomingMessage) =>
      this.markUsed(connectionBelow(socket as TLSSocket) ?? socket),
    );
  }

  private add(socket: Socket): void {
    const own = this.register(socket);
    if (!own.isProxy && own.connections.size > this.perAddress) this.closeOneOf([own], socket);
    else if (this.count > this.maxConnections) this.closeOneOf(this.addresses.values(), socket);
  }

  private register(socket: Socket): Address {
    const { remoteAddress = '' } = socket;
    const network = networkOf(remoteAddress);
    const own = this.addresses.get(network) ?? {
      isProxy: isTrustedProxy(this.proxies, remoteAddress),
      connections: new Map<Socket, Socket>(),
    };
    this.addresses.set(network, own);
    own.connections.set(socket, socket);
    this.addressOf.set(socket, own);
    this.count += 1;
    socket.once('close', () => {
      this.remove(socket);
      if (own.connections.size === 0 && this.addresses.get(network) === own) this.addresses.delete(network);
    });
    return own;
  }

  private remove(socket: Socket): void {
    if (this.addressOf.get(socket)?.connections.delete(socket)) this.count -= 1;
  }

  /**
   * Moves a connection to the end of the map of its address, so that the longest idle connection is
   * first.
   */
  private markUsed(socket: Socket): void {
    const connections = this.addressOf.get(socket)?.connections;
    const requesting = connections?.get(socket);
    if (!connections || !requesting) return;
    connections.delete(socket);
    connections.set(socket, requesting);
  }

  /** @param latest closed if all others have open requests */
  private closeOneOf(addresses: Iterable<Address>, latest: Socket): void {
    let closed = latest;
    let weight = 0;
    for (const address of addresses) {
      const idle = weightOf(address) > weight && this.longestIdle(address, latest);
      if (idle) [closed, weight] = [idle, weightOf(address)];
    }
    httpMetrics().rejected.inc({ reason: 'connections' });
    // Removed before its 'close' event, so that the next new connection closes another one
    this.remove(closed);
    closed.destroy();
  }

  private longestIdle({ connections }: Address, latest: Socket): Socket | undefined {
    for (const [socket, requesting] of connections)
      if (socket !== latest && !this.requests.isBusy(requesting)) return socket;
    return undefined;
  }
}
