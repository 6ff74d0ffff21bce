import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a client and Redis and can behave like a broken network. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));
  private readonly swallowed = new WeakSet<Socket>();
  private readonly answering = new WeakSet<Socket>();

  private constructor(private readonly target: URL) {}

  static async before(redisUrl: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(redisUrl));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** All present connections stay open and carry nothing any more; new ones work. */
  swallow(): void {
    for (const socket of this.sockets) this.swallowed.add(socket);
  }

  /** What Redis answers on the present connections does not arrive any more; commands still do. */
  swallowAnswers(): void {
    for (const socket of this.sockets) if (this.answering.has(socket)) this.swallowed.add(socket);
  }

  /** Ends all present connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private join(client: Socket): void {
    const redis = connect(Number(this.target.port), this.target.hostname);
    this.answering.add(redis);
    this.pipe(client, redis);
    this.pipe(redis, client);
  }

  private pipe(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('data', (bytes) => {
      if (!this.swallowed.has(from)) to.write(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      if (!this.swallowed.has(from)) to.destroy();
    });
  }
}
