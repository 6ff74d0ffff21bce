import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { eventually } from '#testing';

/** HTTP client over a raw socket, which sends exactly the given text. */
export class RawClient {
  /** All received text. */
  received = '';
  isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined).on('close', () => (this.isClosed = true));
  }

  /**
   * Opens a TCP connection.
   *
   * @param allowHalfOpen whether the client can send after the gateway has ended its side
   * @param localAddress one of the addresses of this machine
   */
  static async to(url: string, allowHalfOpen = false, localAddress = '127.0.0.1'): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen, localAddress });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Opens a TLS connection, and resolves after the handshake. */
  static async toTls(url: string, options: ConnectionOptions): Promise<RawClient & { readonly socket: TLSSocket }> {
    const { hostname, port } = new URL(url);
    const socket = connectTls({ host: hostname, port: Number(port), ...options });
    await once(socket, 'secureConnect');
    return new RawClient(socket) as RawClient & { readonly socket: TLSSocket };
  }

  /** Sends GET requests in one write. */
  get(...paths: string[]): void {
    this.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\n\r\n`).join(''));
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Status lines and header sections of the responses so far, in order. */
  get heads(): string[] {
    return this.received.match(/HTTP\/1\.1 \d{3}.*?\r\n\r\n/gs) ?? [];
  }

  get statuses(): number[] {
    return this.heads.map((head) => Number(head.slice(9, 12)));
  }

  /** For each response, whether it has `Connection: close`. */
  get closeHeaders(): boolean[] {
    return this.heads.map((head) => /^connection: close\r$/im.test(head));
  }

  waitForResponses(count: number): Promise<unknown> {
    return eventually(`${count} responses`, () => this.heads.length >= count);
  }

  /** Resolves when the gateway has closed the connection. */
  waitForClose(withinMs?: number): Promise<unknown> {
    return eventually('the end of the connection', () => this.isClosed, withinMs);
  }
}
