import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { eventually } from '#testing';

/** A connection to a gateway that says exactly what it is told to. */
export class RawClient {
  /** All that has come so far. */
  received = '';
  isEnded = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined).on('close', () => (this.isEnded = true));
  }

  /**
   * @param goesOn whether it still sends when the other side has ended
   * @param localAddress one of the addresses of this machine
   */
  static async to(url: string, goesOn = false, localAddress = '127.0.0.1'): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: goesOn, localAddress });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** The same after the handshake of TLS. */
  static async toTls(url: string, options: ConnectionOptions): Promise<RawClient & { readonly socket: TLSSocket }> {
    const { hostname, port } = new URL(url);
    const socket = connectTls({ host: hostname, port: Number(port), ...options });
    await once(socket, 'secureConnect');
    return new RawClient(socket) as RawClient & { readonly socket: TLSSocket };
  }

  /** Requests without a body, in one piece. */
  get(...paths: string[]): void {
    this.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\n\r\n`).join(''));
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** The heads of the answers so far, in order. */
  get heads(): string[] {
    return this.received.match(/HTTP\/1\.1 \d{3}.*?\r\n\r\n/gs) ?? [];
  }

  get statuses(): number[] {
    return this.heads.map((head) => Number(head.slice(9, 12)));
  }

  /** Which of the answers says that the connection ends with it. */
  get saysClose(): boolean[] {
    return this.heads.map((head) => /^connection: close\r$/im.test(head));
  }

  answers(count: number): Promise<unknown> {
    return eventually(`${count} answers`, () => this.heads.length >= count);
  }

  /** The other side has closed the connection. */
  end(withinMs?: number): Promise<unknown> {
    return eventually('the end of the connection', () => this.isEnded, withinMs);
  }
}
