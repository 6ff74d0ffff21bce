import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { isIPv4 } from 'node:net';

/** What a name has: addresses of both kinds, or several lists of them, of which each question is answered with the next. */
export type Names = Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>;

const typeA = 1;
const typeAaaa = 28;

interface Question {
  readonly name: string;
  readonly type: number;
  /** Where it ends in the packet. */
  readonly end: number;
}

function questionIn(packet: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (; packet[at] !== 0; at += packet[at]! + 1) labels.push(packet.toString('latin1', at + 1, at + 1 + packet[at]!));
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

/** The 16 bytes of an IPv6 address; the last four may be written as IPv4. */
function ipv6Bytes(address: string): number[] {
  const hex = address.replace(/(?<!\d)(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.map(Number);
    return `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`;
  });
  const [before = [], after = []] = hex.split('::').map((part) => part.split(':').filter((word) => word !== ''));
  const words = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return words.flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 255]);
}

function answerTo(packet: Buffer, { type, end }: Question, addresses: readonly string[]): Buffer {
  const fitting = addresses.filter((address) => type === (isIPv4(address) ? typeA : typeAaaa));
  const head = Buffer.from(packet.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(fitting.length, 6);
  head.writeUInt32BE(0, 8);
  const records = fitting.map((address) => {
    const data = isIPv4(address) ? address.split('.').map(Number) : ipv6Bytes(address);
    return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
  });
  return Buffer.concat([head, ...records]);
}

/** A name server on this machine that says what a test wants, and nothing at all to who asks for `silent.test`. */
export class NameServer {
  private readonly asked = new Map<string, number>();

  private constructor(
    private readonly socket: Socket,
    private readonly names: Names,
  ) {}

  static async start(names: Names): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket, names);
    socket.on('message', (packet, { port, address }) => {
      const question = questionIn(packet);
      if (question.name === 'silent.test') return;
      socket.send(answerTo(packet, question, server.addressesFor(question)), port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  /** Asks this server only, and once. */
  resolver(): dns.Resolver {
    const resolver = new dns.Resolver({ timeout: 10_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${this.socket.address().port}`]);
    return resolver;
  }

  close(): void {
    this.socket.close();
  }

  private addressesFor({ name, type }: Question): readonly string[] {
    const has = this.names[name] ?? [];
    const key = `${name}/${type}`;
    const times = this.asked.get(key) ?? 0;
    this.asked.set(key, times + 1);
    const list = has[Math.min(times, has.length - 1)];
    return typeof list === 'object' ? list : (has as readonly string[]);
  }
}
