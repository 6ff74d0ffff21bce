import { connect, type Socket } from 'node:net';
import { type RawResponse, ResponseReader } from './response-reader.js';

/** A serialized request. */
export interface RawRequest {
  readonly method: string;
  /** Parts that are written to the socket one after the other. */
  readonly pieces: readonly Buffer[];
  /**
   * True if the request is correctly framed, so that exactly one response is required. Otherwise
   * the server may close the connection without a response.
   */
  readonly isSound: boolean;
}

/** Outcome of a request. `silent`: no response and no close before the timeout. */
export interface WireOutcome {
  readonly responses: readonly RawResponse[];
  readonly how: 'responded' | 'closed' | 'silent';
  /** Previous request on the same connection, which may have caused the outcome. */
  readonly before?: Buffer | undefined;
}

/**
 * Time in milliseconds without a response after which the sending side of a connection is closed.
 * Otherwise the server would wait for the rest of an incomplete request.
 */
const incompleteTimeoutMs = 300;

/**
 * Sends requests to one server. Correctly framed requests reuse connections; each other request
 * uses a new connection.
 */
export class Wire {
  private readonly idle: Socket[] = [];
  private readonly lastSent = new WeakMap<Socket, Buffer>();

  /** @param timeoutMs response timeout */
  constructor(
    private readonly address: { readonly host: string; readonly port: number },
    private readonly timeoutMs: number,
  ) {}

  async send(outgoing: RawRequest): Promise<WireOutcome> {
    if (!outgoing.isSound) return this.sendMalformed(outgoing);
    for (;;) {
      const reused = this.idleConnection();
      const outcome = await this.sendSound(outgoing, reused ?? this.openConnection());
      // The server may close a persistent connection at any time, independent of this request
      if (reused && outcome.how === 'closed') continue;
      return outcome;
    }
  }

  close(): void {
    for (const socket of this.idle.splice(0)) socket.destroy();
  }

  /** Returns an open connection of an earlier request; undefined if there is none. */
  private idleConnection(): Socket | undefined {
    for (;;) {
      const socket = this.idle.pop();
      if (!socket || socket.readyState === 'open') return socket;
    }
  }

  private openConnection(): Socket {
    const socket = connect({ ...this.address, noDelay: true });
    // Every error is followed by `close`
    return socket.on('error', () => undefined);
  }

  private sendSound({ method, pieces }: RawRequest, socket: Socket): Promise<WireOutcome> {
    return new Promise((resolve) => {
      const reader = new ResponseReader(method);
      const before = this.lastSent.get(socket);
      this.lastSent.set(socket, Buffer.concat(pieces));
      const end = (how: WireOutcome['how'], isReusable: boolean): void => {
        clearTimeout(timer);
        socket.off('data', take).off('close', closed);
        if (isReusable) this.idle.push(socket);
        else socket.destroy();
        resolve({ how, responses: reader.responses, before });
      };
      const take = (bytes: Buffer): void => {
        reader.add(bytes);
        const [response] = reader.responses;
        if (response) end('responded', response.headers.get('connection') !== 'close' && reader.isAtEnd);
      };
      const closed = (): void => {
        reader.end();
        end(reader.responses.length > 0 ? 'responded' : 'closed', false);
      };
      const timer = setTimeout(() => end('silent', false), this.timeoutMs);
      socket.on('data', take).on('close', closed);
      for (const piece of pieces) socket.write(piece);
    });
  }

  private sendMalformed({ method, pieces }: RawRequest): Promise<WireOutcome> {
    return new Promise((resolve) => {
      const socket = this.openConnection();
      const reader = new ResponseReader(method);
      const pause = setTimeout(() => socket.end(), incompleteTimeoutMs);
      const timer = setTimeout(() => {
        socket.removeAllListeners('close').destroy();
        resolve({ how: 'silent', responses: reader.responses });
      }, this.timeoutMs);
      socket
        .on('data', (bytes: Buffer) => {
          reader.add(bytes);
          pause.refresh();
        })
        .on('close', () => {
          clearTimeout(pause);
          clearTimeout(timer);
          reader.end();
          resolve({ how: reader.responses.length > 0 ? 'responded' : 'closed', responses: reader.responses });
        });
      for (const piece of pieces) socket.write(piece);
    });
  }
}
