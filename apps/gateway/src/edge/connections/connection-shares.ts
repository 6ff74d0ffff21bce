import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { addressShare, networkOf } from './address.js';
import { httpMetrics } from '../observability/http-metrics.js';
import type { OpenRequests } from './open-requests.js';
import { isTrustedProxy } from './trusted-proxies.js';
import { connectionBelow } from '../server/tls.js';

/** Connections over the maximum that the system still hands over, each of which closes another one at once. */
const headroom = 64;

interface Address {
  readonly isProxy: boolean;
  /**
   * By the connection that was accepted, the socket that requests name: with HTTPS the one above it. Those first that
   * have been without a request for the longest time.
   */
  readonly connections: Map<Socket, Socket>;
}

/** Trusted proxies count as one connection: a proxy has those of all its visitors. */
const weightOf = ({ isProxy, connections }: Address): number => (isProxy ? 1 : connections.size);

/**
 * Shares the connections of a server between addresses; an IPv6 address counts by its first 64 bits. When an address has
 * its share, or all connections are taken, the new one is accepted and the connection that has been without a request for
 * the longest time is closed: one of the same address, or of the address that has the most. Trusted proxies have no share.
 */
export class ConnectionShares {
  private readonly addresses = new Map<string, Address>();
  private readonly addressOf = new WeakMap<Socket, Address>();
  private readonly perAddress: number;
  private readonly proxies: readonly string[];
  private count = 0;

  /** @param most connections at once */
  constructor(
    private readonly most: number,
    trustedProxies: false | readonly string[],
    private readonly requests: OpenRequests,
  ) {
    this.perAddress = Math.ceil(most * addressShare);
    this.proxies = trustedProxies || [];
  }

  watch(server: Server): void {
    server.maxConnections = this.most + headroom;
    server.on('connection', (socket: Socket) => this.add(socket));
    server.on('secureConnection', (socket: TLSSocket) => {
      const below = connectionBelow(socket);
      const connections = below ? this.addressOf.get(below)?.connections : undefined;
      if (below && connections?.has(below)) connections.set(below, socket);
    });
    server.on('request', ({ socket }: IncomingMessage) => this.use(connectionBelow(socket as TLSSocket) ?? socket));
  }

  private add(socket: Socket): void {
    const own = this.enter(socket);
    if (!own.isProxy && own.connections.size > this.perAddress) this.closeOneOf([own], socket);
    else if (this.count > this.most) this.closeOneOf(this.addresses.values(), socket);
  }

  private enter(socket: Socket): Address {
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

  /** Behind the others of its address. */
  private use(socket: Socket): void {
    const connections = this.addressOf.get(socket)?.connections;
    const requesting = connections?.get(socket);
    if (!connections || !requesting) return;
    connections.delete(socket);
    connections.set(socket, requesting);
  }

  /** @param latest closed when all others have a request */
  private closeOneOf(addresses: Iterable<Address>, latest: Socket): void {
    let closed = latest;
    let weight = 0;
    for (const address of addresses) {
      const idle = weightOf(address) > weight && this.longestIdle(address, latest);
      if (idle) [closed, weight] = [idle, weightOf(address)];
    }
    httpMetrics().refused.inc({ reason: 'connections' });
    // Not with its 'close': until then the next new connection would close the same one once more
    this.remove(closed);
    closed.destroy();
  }

  private longestIdle({ connections }: Address, latest: Socket): Socket | undefined {
    for (const [socket, requesting] of connections)
      if (socket !== latest && !this.requests.isBusy(requesting)) return socket;
    return undefined;
  }
}
