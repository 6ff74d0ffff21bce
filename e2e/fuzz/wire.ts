import { connect, type Socket } from 'node:net';
import { type Answer, AnswerReader } from './answer-reader.js';

/** A request as bytes: what no client library would write comes through. */
export interface Outgoing {
  readonly method: string;
  /** Written one after the other. */
  readonly pieces: readonly Buffer[];
  /** Framed as HTTP says: exactly one answer is due. What is not may be answered, or not, but must come to an end. */
  readonly isSound: boolean;
}

/** How a request ended. `silent`: neither answered nor closed within the time. */
export interface Ending {
  readonly answers: readonly Answer[];
  readonly how: 'answered' | 'closed' | 'silent';
  /** What was sent on the same connection right before: a server may have lost its place there. */
  readonly before?: Buffer | undefined;
}

/** Bytes that are no HTTP may leave the server waiting for more: after this long without a word they end, in milliseconds. */
const moreWithinMs = 300;

/** Sends requests to one server. Sound ones share connections, as those of browsers do; others have one of their own. */
export class Wire {
  private readonly idle: Socket[] = [];
  private readonly lastSent = new WeakMap<Socket, Buffer>();

  /** @param patienceMs how long an answer may take */
  constructor(
    private readonly address: { readonly host: string; readonly port: number },
    private readonly patienceMs: number,
  ) {}

  async send(outgoing: Outgoing): Promise<Ending> {
    if (!outgoing.isSound) return this.sendOdd(outgoing);
    for (;;) {
      const kept = this.kept();
      const ending = await this.sendSound(outgoing, kept ?? this.connection());
      // The server may end a kept connection at any moment, which says nothing about this request
      if (kept && ending.how === 'closed') continue;
      return ending;
    }
  }

  close(): void {
    for (const socket of this.idle.splice(0)) socket.destroy();
  }

  /** A connection of an earlier request that the server has not ended meanwhile. */
  private kept(): Socket | undefined {
    for (;;) {
      const socket = this.idle.pop();
      if (!socket || socket.readyState === 'open') return socket;
    }
  }

  private connection(): Socket {
    const socket = connect({ ...this.address, noDelay: true });
    // Every error is followed by `close`
    return socket.on('error', () => undefined);
  }

  private sendSound({ method, pieces }: Outgoing, socket: Socket): Promise<Ending> {
    return new Promise((resolve) => {
      const reader = new AnswerReader(method);
      const before = this.lastSent.get(socket);
      this.lastSent.set(socket, Buffer.concat(pieces));
      const end = (how: Ending['how'], isReusable: boolean): void => {
        clearTimeout(timer);
        socket.off('data', take).off('close', closed);
        if (isReusable) this.idle.push(socket);
        else socket.destroy();
        resolve({ how, answers: reader.answers, before });
      };
      const take = (bytes: Buffer): void => {
        reader.add(bytes);
        const [answer] = reader.answers;
        if (answer) end('answered', answer.headers.get('connection') !== 'close' && reader.isAtEnd);
      };
      const closed = (): void => {
        reader.end();
        end(reader.answers.length > 0 ? 'answered' : 'closed', false);
      };
      const timer = setTimeout(() => end('silent', false), this.patienceMs);
      socket.on('data', take).on('close', closed);
      for (const piece of pieces) socket.write(piece);
    });
  }

  private sendOdd({ method, pieces }: Outgoing): Promise<Ending> {
    return new Promise((resolve) => {
      const socket = this.connection();
      const reader = new AnswerReader(method);
      const pause = setTimeout(() => socket.end(), moreWithinMs);
      const timer = setTimeout(() => {
        socket.removeAllListeners('close').destroy();
        resolve({ how: 'silent', answers: reader.answers });
      }, this.patienceMs);
      socket
        .on('data', (bytes: Buffer) => {
          reader.add(bytes);
          pause.refresh();
        })
        .on('close', () => {
          clearTimeout(pause);
          clearTimeout(timer);
          reader.end();
          resolve({ how: reader.answers.length > 0 ? 'answered' : 'closed', answers: reader.answers });
        });
      for (const piece of pieces) socket.write(piece);
    });
  }
}
