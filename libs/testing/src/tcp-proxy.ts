import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The behaviour of a slow or lossy network. */
interface Disturbance {
  /** Delay of each chunk. */
  readonly delayMs: number;
  /** The share (0 to 1) of chunks that are delayed by another second, as after a lost packet. */
  readonly stalled: number;
}

const undisturbed: Disturbance = { delayMs: 0, stalled: 0 };
/** About the timeout of TCP before it retransmits a lost packet when nothing else arrives. */
const stallMs = 1_000;

/** Proxy between a client and a server that can behave like a broken network. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));
  private readonly dropping = new WeakSet<Socket>();
  private readonly serverSockets = new WeakSet<Socket>();
  private disturbance = undisturbed;

  private constructor(private readonly target: URL) {}

  /** @param url of the server, with any protocol */
  static async before(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(url));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** The server's URL, through the proxy. */
  get url(): string {
    return this.through(this.target.href);
  }

  /** A URL of the same server, with another path or user, through the proxy. */
  through(serverUrl: string): string {
    const url = new URL(serverUrl);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** Disturbs the connections until `heal`. */
  disturb(disturbance: Disturbance): void {
    this.disturbance = disturbance;
  }

  /** Drops all data on the current connections, which stay open. New connections work. */
  blackhole(): void {
    for (const socket of this.sockets) this.dropping.add(socket);
  }

  /** Drops the responses on the current connections; requests still arrive. */
  dropResponses(): void {
    for (const socket of this.sockets) if (this.serverSockets.has(socket)) this.dropping.add(socket);
  }

  /** Closes all current connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /**
   * Ends the disturbance, and closes the connections that dropped data: bytes are missing in them.
   */
  heal(): void {
    this.disturbance = undisturbed;
    // A socket that is no longer in `dropping` also closes the other side
    for (const socket of this.sockets) if (this.dropping.delete(socket)) socket.destroy();
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    this.serverSockets.add(server);
    this.pipe(client, server);
    this.pipe(server, client);
  }

  private pipe(from: Socket, to: Socket): void {
    let before: Promise<unknown> | undefined;
    this.sockets.add(from);
    from.setNoDelay();
    from.on('data', (bytes) => {
      if (this.dropping.has(from)) return;
      const delayMs = this.nextDelayMs();
      if (delayMs === 0 && before === undefined) return void to.write(bytes);
      // A delayed chunk delays those behind it, because a TCP connection preserves the order.
      // The timer is unreferenced, so that it does not prevent the exit of this process
      const current = Promise.all([before, sleep(delayMs, undefined, { ref: false })]).then(() => {
        if (!this.dropping.has(from) && !to.destroyed) to.write(bytes);
        if (before === current) before = undefined;
      });
      before = current;
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      if (!this.dropping.has(from)) to.destroy();
    });
  }

  private nextDelayMs(): number {
    const { delayMs, stalled } = this.disturbance;
    return delayMs + (stalled > 0 && Math.random() < stalled ? stallMs : 0);
  }
}
