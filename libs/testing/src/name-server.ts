import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { isIP, isIPv4 } from 'node:net';

/**
 * Records of each name: IPv4 and IPv6 addresses, or the name that it is an alias of (CNAME), or
 * several such lists. With several lists, each query of a type gets the next list, and the last
 * list is repeated.
 */
type DnsRecords = Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>;

const typeA = 1;
const typeCname = 5;
const typeAaaa = 28;

interface Resolved {
  readonly aliases: readonly string[];
  readonly addresses: readonly string[];
}

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

const nameBytes = (name: string): number[] => [
  ...name.split('.').flatMap((label) => [label.length, ...Buffer.from(label, 'latin1')]),
  0,
];

/** Returns a record with a TTL of 0, so that no resolver caches it. */
const encodeRecord = (name: readonly number[], type: number, data: readonly number[]): Buffer =>
  Buffer.from([...name, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);

/** Name of a query, as a pointer to its position in the packet. */
const queriedName = [0xc0, 12];

function encodeResponse(
  packet: Buffer,
  { type, end }: Query,
  aliases: readonly string[],
  addresses: readonly string[],
) {
  const names = [queriedName, ...aliases.map(nameBytes)];
  const records = [
    ...aliases.map((alias, n) => encodeRecord(names[n]!, typeCname, nameBytes(alias))),
    ...addresses
      .filter((address) => type === (isIPv4(address) ? typeA : typeAaaa))
      .map((address) =>
        encodeRecord(names.at(-1)!, type, isIPv4(address) ? address.split('.').map(Number) : ipv6Bytes(address)),
      ),
  ];
  const head = Buffer.from(packet.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
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
      const { aliases, addresses } = server.resolve(query);
      socket.send(encodeResponse(packet, query, aliases, addresses), port, address);
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

  /** Follows aliases, as a recursive resolver. */
  private resolve({ name, type }: Pick<Query, 'name' | 'type'>): Resolved {
    const listed = this.recordsOf(name, type);
    const [alias] = listed;
    if (alias === undefined || isIP(alias) !== 0) return { aliases: [], addresses: listed };
    const { aliases, addresses } = this.resolve({ name: alias, type });
    return { aliases: [alias, ...aliases], addresses };
  }

  private recordsOf(name: string, type: number): readonly string[] {
    const found = this.records[name] ?? [];
    const key = `${name}/${type}`;
    const times = this.queries.get(key) ?? 0;
    this.queries.set(key, times + 1);
    const list = found[Math.min(times, found.length - 1)];
    return typeof list === 'object' ? list : (found as readonly string[]);
  }
}
