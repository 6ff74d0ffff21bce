import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A status; 0 when the connection broke before one came, and for a refusal that does not say when to come again. */
export type Ending = number;

const endOfHead = Buffer.from('\r\n\r\n');

/**
 * One kept-alive connection that carries one request at a time and reads of the answer what is needed to know where it
 * ends. A library costs more per request than the refusal that is measured.
 */
class Connection {
  private readonly socket: Socket;
  private head: Buffer = Buffer.alloc(0);
  /** Bytes of the body that are still to come. */
  private left = 0;
  private status = 0;
  private tellsWhen = false;
  private settle: ((ending: Ending) => void) | undefined;

  constructor(port: number, host: string, free: (connection: Connection) => void, lost: (it: Connection) => void) {
    this.socket = connect({ port, host, noDelay: true });
    this.socket.on('data', (bytes) => this.read(bytes, free));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      lost(this);
      this.end(0);
    });
  }

  async whenOpen(): Promise<void> {
    await once(this.socket, 'connect');
  }

  send(request: Buffer, settle: (ending: Ending) => void): void {
    this.settle = settle;
    this.socket.write(request);
  }

  destroy(): void {
    this.socket.destroy();
  }

  private read(bytes: Buffer, free: (connection: Connection) => void): void {
    // A connection without a request is answered 408 after 15 s, and closed
    if (!this.settle) {
      this.destroy();
      return;
    }
    let rest = bytes;
    if (this.status === 0) {
      this.head = this.head.length === 0 ? bytes : Buffer.concat([this.head, bytes]);
      const end = this.head.indexOf(endOfHead);
      if (end < 0) return;
      const head = this.head.toString('latin1', 0, end);
      const length = /^content-length: (\d+)/im.exec(head)?.[1];
      // Every answer of the mix says its length; one that does not cannot be told from the next
      if (length === undefined) {
        this.destroy();
        return;
      }
      this.status = Number(head.slice(9, 12));
      this.tellsWhen = /^retry-after: \d/im.test(head);
      this.left = Number(length);
      rest = this.head.subarray(end + endOfHead.length);
      this.head = Buffer.alloc(0);
    }
    this.left -= rest.length;
    if (this.left > 0) return;
    const { status, tellsWhen } = this;
    this.status = 0;
    free(this);
    this.end(status === 503 && !tellsWhen ? 0 : status);
  }

  private end(ending: Ending): void {
    const { settle } = this;
    this.settle = undefined;
    settle?.(ending);
  }
}

/** Connections to one address, made when all present ones are in use, up to a limit. */
export class Connections {
  private readonly idle: Connection[] = [];
  private readonly all = new Set<Connection>();

  constructor(
    private readonly port: number,
    private readonly host: string,
    private readonly most: number,
  ) {}

  get count(): number {
    return this.all.size;
  }

  /** Opens so many before they are needed, as a proxy has them. */
  async warm(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const connection = this.open();
      await connection?.whenOpen();
      if (connection) this.idle.push(connection);
    }
  }

  /** @returns false when the request cannot be sent: all connections are in use, and there may be no more */
  send(request: Buffer, settle: (ending: Ending) => void): boolean {
    const connection = this.idle.pop() ?? this.open();
    connection?.send(request, settle);
    return connection !== undefined;
  }

  close(): void {
    for (const connection of this.all) connection.destroy();
  }

  private open(): Connection | undefined {
    if (this.all.size >= this.most) return undefined;
    const connection = new Connection(
      this.port,
      this.host,
      (it) => this.idle.push(it),
      (it) => this.forget(it),
    );
    this.all.add(connection);
    return connection;
  }

  private forget(connection: Connection): void {
    this.all.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
  }
}
