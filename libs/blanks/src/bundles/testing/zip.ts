import { crc32, deflateRawSync } from 'node:zlib';

/** File of a ZIP of a test. */
export interface ZipMember {
  readonly name: string;
  readonly content: Buffer;
  /** Unix mode; default: a regular file. */
  readonly mode?: number;
  /** Size that the ZIP declares; default: that of the content. */
  readonly declared?: number;
}

/** Returns a ZIP with any names and modes, which programs that write ZIPs refuse. */
export function zipOf(members: readonly ZipMember[]): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { name, content, mode = 0o100644, declared = content.length } of members) {
    const packed = deflateRawSync(content, { level: 1 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declared, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const attributes = Buffer.alloc(14);
    attributes.writeUInt32LE((mode << 16) >>> 0, 6);
    attributes.writeUInt32LE(offset, 10);
    const version = Buffer.from([20, 3]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), version, common, attributes, Buffer.from(name)]));
    files.push(file);
    offset += file.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, list, end]);
}
