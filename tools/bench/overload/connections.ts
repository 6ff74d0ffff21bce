import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Status of a response; 0 if the connection broke or a 503 had no Retry-After, -1 if not sent. */
export type Outcome = number;

const endOfHead = Buffer.from('\r\n\r\n');

/**
 * Persistent connection for one request at a time. It parses only the status, Content-Length and
 * Retry-After of a response: an HTTP client library takes more CPU time per request than the
 * measured rejection.
 */
class Connection {
  private readonly socket: Socket;
  private head: Buffer = Buffer.alloc(0);
  /** Remaining bytes of the body. */
  private left = 0;
  private status = 0;
  private hasRetryAfter = false;
  private settle: ((outcome: Outcome) => void) | undefined;

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

  send(request: Buffer, settle: (outcome: Outcome) => void): void {
    this.settle = settle;
    this.socket.write(request);
  }

  destroy(): void {
    this.socket.destroy();
  }

  private read(bytes: Buffer, free: (connection: Connection) => void): void {
    // The gateway sends 408 on a connection without a request after 15 s, and closes it
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
      // All responses have Content-Length; without it the end of a response is unknown
      if (length === undefined) {
        this.destroy();
        return;
      }
      this.status = Number(head.slice(9, 12));
      this.hasRetryAfter = /^retry-after: \d/im.test(head);
      this.left = Number(length);
      rest = this.head.subarray(end + endOfHead.length);
      this.head = Buffer.alloc(0);
    }
    this.left -= rest.length;
    if (this.left > 0) return;
    const { status, hasRetryAfter } = this;
    this.status = 0;
    free(this);
    this.end(status === 503 && !hasRetryAfter ? 0 : status);
  }

  private end(outcome: Outcome): void {
    const { settle } = this;
    this.settle = undefined;
    settle?.(outcome);
  }
}

/** Connection pool to one origin, which grows on demand up to a limit. */
export class Connections {
  private readonly idle: Connection[] = [];
  private readonly all = new Set<Connection>();

  constructor(
    private readonly port: number,
    private readonly host: string,
    private readonly maxCount: number,
  ) {}

  get count(): number {
    return this.all.size;
  }

  /** Opens `count` connections in advance, as a proxy does. */
  async warm(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const connection = this.open();
      await connection?.whenOpen();
      if (connection) this.idle.push(connection);
    }
  }

  /** Sends a request. Returns false if all connections are in use and the limit is reached. */
  send(request: Buffer, settle: (outcome: Outcome) => void): boolean {
    const connection = this.idle.pop() ?? this.open();
    connection?.send(request, settle);
    return connection !== undefined;
  }

  close(): void {
    for (const connection of this.all) connection.destroy();
  }

  private open(): Connection | undefined {
    if (this.all.size >= this.maxCount) return undefined;
    const connection = new Connection(
      this.port,
      this.host,
      (it) => this.idle.push(it),
      (it) => this.remove(it),
    );
    this.all.add(connection);
    return connection;
  }

  private remove(connection: Connection): void {
    this.all.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
  }
}
