import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a slow or lossy network behaves. */
interface Disturbance {
  /** Each chunk arrives later by this. */
  readonly delayMs: number;
  /** The share (0 to 1) of chunks that arrive another second later, as after a lost packet. */
  readonly stalled: number;
}

const undisturbed: Disturbance = { delayMs: 0, stalled: 0 };
/** About what TCP waits before it sends a lost packet a second time when nothing else arrives. */
const stallMs = 1_000;

/** Stands between a client and a server and can behave like a broken network. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));
  private readonly swallowed = new WeakSet<Socket>();
  private readonly answering = new WeakSet<Socket>();
  private disturbance = undisturbed;

  private constructor(private readonly target: URL) {}

  /** @param url of the server, whatever its protocol */
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

  /** From now on, until `heal`. */
  disturb(disturbance: Disturbance): void {
    this.disturbance = disturbance;
  }

  /** All present connections stay open and carry nothing any more; new ones work. */
  swallow(): void {
    for (const socket of this.sockets) this.swallowed.add(socket);
  }

  /** What the server answers on the present connections does not arrive any more; requests still do. */
  swallowAnswers(): void {
    for (const socket of this.sockets) if (this.answering.has(socket)) this.swallowed.add(socket);
  }

  /** Ends all present connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Undisturbed again. What was swallowed is ended: bytes are missing in it. */
  heal(): void {
    this.disturbance = undisturbed;
    // No longer swallowed, its end takes the other side with it
    for (const socket of this.sockets) if (this.swallowed.delete(socket)) socket.destroy();
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    this.answering.add(server);
    this.pipe(client, server);
    this.pipe(server, client);
  }

  private pipe(from: Socket, to: Socket): void {
    let before: Promise<unknown> | undefined;
    this.sockets.add(from);
    from.setNoDelay();
    from.on('data', (bytes) => {
      if (this.swallowed.has(from)) return;
      const lateMs = this.lateness();
      if (lateMs === 0 && before === undefined) return void to.write(bytes);
      // A late chunk holds back those behind it: order is what a connection promises
      // It is waited for by whoever reads, not by the end of this process
      const mine = Promise.all([before, sleep(lateMs, undefined, { ref: false })]).then(() => {
        if (!this.swallowed.has(from) && !to.destroyed) to.write(bytes);
        if (before === mine) before = undefined;
      });
      before = mine;
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      if (!this.swallowed.has(from)) to.destroy();
    });
  }

  private lateness(): number {
    const { delayMs, stalled } = this.disturbance;
    return delayMs + (stalled > 0 && Math.random() < stalled ? stallMs : 0);
  }
}
