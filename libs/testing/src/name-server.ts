import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { isIPv4 } from 'node:net';

/**
 * Records of each name: IPv4 and IPv6 addresses, or several lists of addresses. With several lists,
 * each query of a type gets the next list, and the last list is repeated.
 */
type DnsRecords = Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>;

const typeA = 1;
const typeAaaa = 28;

interface Query {
  readonly name: string;
  readonly type: number;
  /** Offset of its end in the packet. */
  readonly end: number;
}

function parseQuery(packet: Buffer): Query {
  const labels: string[] = [];
  let at = 12;
  for (; packet[at] !== 0; at += packet[at]! + 1) labels.push(packet.toString('latin1', at + 1, at + 1 + packet[at]!));
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

/** Returns the 16 bytes of an IPv6 address; its last four may be written as IPv4. */
function ipv6Bytes(address: string): number[] {
  const hex = address.replace(/(?<!\d)(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.map(Number);
    return `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`;
  });
  const [before = [], after = []] = hex.split('::').map((part) => part.split(':').filter((word) => word !== ''));
  const words = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return words.flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 255]);
}

function encodeResponse(packet: Buffer, { type, end }: Query, addresses: readonly string[]): Buffer {
  const matching = addresses.filter((address) => type === (isIPv4(address) ? typeA : typeAaaa));
  const head = Buffer.from(packet.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(matching.length, 6);
  head.writeUInt32BE(0, 8);
  const records = matching.map((address) => {
    const data = isIPv4(address) ? address.split('.').map(Number) : ipv6Bytes(address);
    return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
  });
  return Buffer.concat([head, ...records]);
}

/**
 * Name server on this machine with the records of a test. It does not respond to queries for
 * `silent.test`.
 */
export class NameServer {
  private readonly queries = new Map<string, number>();

  private constructor(
    private readonly socket: Socket,
    private readonly records: DnsRecords,
  ) {}

  static async start(records: DnsRecords): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket, records);
    socket.on('message', (packet, { port, address }) => {
      const query = parseQuery(packet);
      if (query.name === 'silent.test') return;
      socket.send(encodeResponse(packet, query, server.addressesFor(query)), port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  /** Returns a resolver that queries only this server, without a retry. */
  resolver(): dns.Resolver {
    const resolver = new dns.Resolver({ timeout: 10_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${this.socket.address().port}`]);
    return resolver;
  }

  close(): void {
    this.socket.close();
  }

  private addressesFor({ name, type }: Query): readonly string[] {
    const found = this.records[name] ?? [];
    const key = `${name}/${type}`;
    const times = this.queries.get(key) ?? 0;
    this.queries.set(key, times + 1);
    const list = found[Math.min(times, found.length - 1)];
    return typeof list === 'object' ? list : (found as readonly string[]);
  }
}
