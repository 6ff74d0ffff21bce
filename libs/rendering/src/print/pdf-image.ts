import { deflatedLength, Deflater, type Pick, rowFilter } from './deflate.js';
import { numbers, type PdfWriter, pointsPerMillimetre, reference } from './pdf-writer.js';
import { type PrintRaster } from './raster.js';
import { type Sink } from './sink.js';

/** Part of the bands that `isCompressible` compresses: 3 % of the time of all. */
const sampledBands = 32;
/**
 * Part of its size to which an image must shrink: that of a bit for each byte. A smaller one
 * consists of runs of equal bytes mostly, whose compression takes little time.
 */
const worthwhile = 1 / 8;

/**
 * Returns whether compression makes an image much smaller. That of a photograph would take twice
 * the time of drawing it.
 */
function isCompressible(raster: PrintRaster, pick: Pick): boolean {
  const filter = rowFilter(raster.width, pick);
  let [before, after] = [0, 0];
  for (const band of raster.bands(sampledBands)) {
    const filtered = filter(band);
    before += filtered.length;
    after += deflatedLength(filtered);
  }
  return after < worthwhile * before;
}

/** Returns the operators that draw the image. Its last column and row may reach beyond the page. */
export function imageOperators(raster: PrintRaster): string {
  const { area, bleed, pitch } = raster;
  const [width, height] = [raster.width, raster.height].map((pixels) => pixels * pitch * pointsPerMillimetre);
  const top = (area.height + 2 * bleed) * pointsPerMillimetre;
  return `q ${numbers([width!, 0, 0, height!, 0, top - height!])} cm /Artwork Do Q`;
}

/** Writes the pixels of a print as an image, with its alpha as a mask. */
export async function writeImage(pdf: PdfWriter, raster: PrintRaster): Promise<void> {
  const { width, height } = raster;
  const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8`;
  const isCmyk = raster.colorSpace === 'cmyk';
  const colors = { from: 0, channels: isCmyk ? 4 : 3 };
  const isDeflated = isCompressible(raster, colors);
  const space = isCmyk ? '/DeviceCMYK' : `[/ICCBased ${reference('rgbProfile')}] /SMask ${reference('alpha')}`;
  const filter = isDeflated ? filterOf(raster, colors) : '';
  const alpha = isCmyk ? null : new AlphaMask(raster);
  await pdf.longStream(['artwork', 'artworkLength'], `${image} /ColorSpace ${space} ${filter}`, async (sink) => {
    const target = isDeflated ? deflated(width, colors, sink) : stored(colors, sink);
    for (const band of raster.bands()) {
      await target.write(band);
      await alpha?.write(band);
    }
    await target.end();
  });
  if (alpha)
    await pdf.stream(
      'alpha',
      `${image} /ColorSpace /DeviceGray ${filterOf(raster, AlphaMask.pick)}`,
      await alpha.end(),
    );
}

const filterOf = ({ width }: PrintRaster, { channels }: Pick): string =>
  `/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors ${channels} /Columns ${width} >>`;

/** Destination of bands. */
interface BandTarget {
  readonly write: (band: Uint8Array) => Promise<void>;
  readonly end: () => Promise<void>;
}

function deflated(width: number, pick: Pick, sink: Sink): BandTarget {
  const filter = rowFilter(width, pick);
  const deflater = new Deflater(sink);
  return { write: (band) => deflater.write(filter(band)), end: () => deflater.end() };
}

function stored({ channels }: Pick, sink: Sink): BandTarget {
  const write = (band: Uint8Array): Promise<void> => sink(channels === 4 ? band : withoutAlpha(band));
  return { write, end: () => Promise.resolve() };
}

function withoutAlpha(band: Uint8Array): Uint8Array {
  const colors = new Uint8Array((band.length / 4) * 3);
  for (let i = 0, o = 0; i < band.length; i += 4) {
    colors[o++] = band[i]!;
    colors[o++] = band[i + 1]!;
    colors[o++] = band[i + 2]!;
  }
  return colors;
}

/** Compressed alpha of a print in memory, because it follows the colors in the file. */
class AlphaMask {
  static readonly pick: Pick = { from: 3, channels: 1 };
  private readonly chunks: Buffer[] = [];
  private readonly target: BandTarget;

  constructor({ width }: PrintRaster) {
    this.target = deflated(width, AlphaMask.pick, (bytes) => {
      this.chunks.push(Buffer.from(bytes));
      return Promise.resolve();
    });
  }

  write(band: Uint8Array): Promise<void> {
    return this.target.write(band);
  }

  async end(): Promise<Buffer> {
    await this.target.end();
    return Buffer.concat(this.chunks);
  }
}
