import { crc32 } from 'node:zlib';
import { Deflater, rowFilter } from './deflate.js';
import { type PrintRaster } from './raster.js';
import { type Sink } from './sink.js';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
  return Buffer.concat([head, data, crc]);
}

/** Writes a PNG of sRGB with alpha and its resolution. */
export async function writePng(raster: PrintRaster, sink: Sink): Promise<void> {
  const { width, height, dpi } = raster;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  // 8 bits, RGB with alpha
  header.set([8, 6], 8);
  const density = Buffer.alloc(9);
  const perMetre = Math.round(dpi / 0.0254);
  density.writeUInt32BE(perMetre);
  density.writeUInt32BE(perMetre, 4);
  density[8] = 1;
  const start = [chunk('IHDR', header), chunk('sRGB', Buffer.alloc(1)), chunk('pHYs', density)];
  await sink(Buffer.concat([signature, ...start]));
  const filter = rowFilter(width, { from: 0, channels: 4 });
  const pixels = new Deflater((data) => sink(chunk('IDAT', data)));
  for (const band of raster.bands()) await pixels.write(filter(band));
  await pixels.end();
  await sink(chunk('IEND', Buffer.alloc(0)));
}
