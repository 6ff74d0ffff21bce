import { inflateSync } from 'node:zlib';
import { sharp } from '#images';
import { writePdf } from './pdf.js';
import { writePng } from './png.js';
import { type PrintArea } from './print-area.js';
import { outlinePrint } from './print-outline.js';
import { type PrintProfiles, readProfiles } from './profiles.js';
import { type PrintRaster, rasterize } from './raster.js';
import { bytesOf, dotArtwork, pixelsOf, placedIn, profilesFolder, sourceOf } from './testing/print-files.js';
import { writeTiff } from './tiff.js';

// The decoder of TIFF is blocked, because the product only writes TIFF
sharp.unblock({ operation: ['VipsForeignLoadTiff'] });

const rgb: PrintArea = { area: { width: 40, height: 30 }, bleed: 3, dpi: 200, mirror: false, colorSpace: 'rgb' };
const cmyk: PrintArea = { ...rgb, colorSpace: 'cmyk' };
const date = new Date('2026-11-27T20:15:30.999Z');

let profiles: PrintProfiles;
const rasterOf = async (print: PrintArea): Promise<PrintRaster> =>
  rasterize(await sourceOf(await dotArtwork()), placedIn(print, { rotation: 20 }), print, profiles.cmykPath);
const pdfOf = async (print: PrintArea, title = 'Mug <A & B> マグ'): Promise<Buffer> => {
  const raster = await rasterOf(print);
  return bytesOf((sink) => writePdf(raster, { title, date, output: profiles.output, rgbProfile: profiles.rgb }, sink));
};
beforeAll(async () => {
  profiles = await readProfiles(profilesFolder);
});

describe('a PNG', () => {
  it('has the pixels and the resolution of the print', async () => {
    const raster = await rasterOf(rgb);
    const png = await bytesOf((sink) => writePng(raster, sink));
    const { format, density, hasAlpha } = await sharp(png).metadata();
    expect({ format, density, hasAlpha }).toEqual({ format: 'png', density: 200, hasAlpha: true });
    expect((await sharp(png).raw().toBuffer()).equals(pixelsOf(raster))).toBe(true);
  });
});

describe('a TIFF', () => {
  it.each([rgb, cmyk])('has the pixels, the resolution and the profile of the print: $colorSpace', async (print) => {
    const raster = await rasterOf(print);
    const profile = print.colorSpace === 'cmyk' ? profiles.output.profile : profiles.rgb;
    const tiff = await bytesOf((sink) => writeTiff(raster, profile, sink));
    const { format, density, space, icc, channels } = await sharp(tiff).metadata();
    expect({ format, density, channels }).toEqual({ format: 'tiff', density: 200, channels: 4 });
    expect(space).toBe(print.colorSpace === 'cmyk' ? 'cmyk' : 'srgb');
    expect(Buffer.from(icc!).equals(profile)).toBe(true);
    // sharp would convert CMYK
    expect(tiff.subarray(-raster.width * raster.height * 4).equals(pixelsOf(raster))).toBe(true);
  });
});

describe('a PDF', () => {
  /** Returns the dictionary and the bytes of the stream of an object. */
  const objectOf = (pdf: Buffer, id: number): { dictionary: string; bytes: Buffer } => {
    const text = pdf.toString('latin1');
    const start = text.indexOf(`\n${id} 0 obj\n`);
    const stream = text.indexOf('stream\n', start) + 'stream\n'.length;
    return {
      dictionary: text.slice(start, Math.min(text.indexOf('endobj', start), stream)),
      bytes: pdf.subarray(stream, text.indexOf('\nendstream', stream)),
    };
  };

  /** Returns the pixels of an image that the filter Sub stores. */
  function unfiltered(data: Buffer, width: number, channels: number): Buffer {
    const rowBytes = 1 + width * channels;
    const rows = Array.from({ length: data.length / rowBytes }, (_, row) => {
      const bytes = Buffer.from(data.subarray(row * rowBytes + 1, (row + 1) * rowBytes));
      for (let i = channels; i < bytes.length; i++) bytes[i] = bytes[i]! + bytes[i - channels]!;
      return bytes;
    });
    return Buffer.concat(rows);
  }

  it('has the boxes of area and bleed in points', async () => {
    const text = (await pdfOf(cmyk)).toString('latin1');
    expect(text).toContain('/MediaBox [0 0 130.3937 102.0472] /BleedBox [0 0 130.3937 102.0472]');
    expect(text).toContain('/TrimBox [8.5039 8.5039 121.8898 93.5433]');
    // 363 pixels of 200 dpi, which start at the top left corner
    expect(text).toContain('q 130.68 0 0 102.24 0 -0.1928 cm /Artwork Do Q');
  });

  it('has the pixels of the print in CMYK', async () => {
    const raster = await rasterOf(cmyk);
    const { dictionary, bytes } = objectOf(await pdfOf(cmyk), 7);
    expect(dictionary).toContain('/ColorSpace /DeviceCMYK');
    expect(unfiltered(inflateSync(bytes), raster.width, 4).equals(pixelsOf(raster))).toBe(true);
  });

  it('has the colors of the print and its alpha in RGB', async () => {
    const raster = await rasterOf(rgb);
    const pdf = await pdfOf(rgb);
    const pixels = pixelsOf(raster);
    const alpha = unfiltered(inflateSync(objectOf(pdf, 9).bytes), raster.width, 1);
    expect(alpha.equals(pixels.filter((_, index) => index % 4 === 3))).toBe(true);
    const colors = unfiltered(inflateSync(objectOf(pdf, 7).bytes), raster.width, 3);
    expect(colors.equals(pixels.filter((_, index) => index % 4 !== 3))).toBe(true);
    expect(inflateSync(objectOf(pdf, 6).bytes).equals(profiles.rgb)).toBe(true);
  });

  it.each([rgb, cmyk])('has the pixels without compression if they are noise: $colorSpace', async (print) => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const image = sharp({ create: { width: 400, height: 300, channels: 3, background: 'white', noise } });
    const placed = placedIn(print, {}, 'cover');
    const raster = await rasterize(await sourceOf(await image.png().toBuffer()), placed, print, profiles.cmykPath);
    const pdf = await bytesOf((sink) =>
      writePdf(raster, { title: '', date, output: profiles.output, rgbProfile: profiles.rgb }, sink),
    );
    const { dictionary, bytes } = objectOf(pdf, 7);
    expect(dictionary).not.toContain('/Filter');
    const [channels, pixels] = [print.colorSpace === 'cmyk' ? 4 : 3, pixelsOf(raster)];
    expect(bytes.length).toBe(raster.width * raster.height * channels);
    expect(bytes.equals(pixels.filter((_, index) => channels === 4 || index % 4 !== 3))).toBe(true);
  });

  it('has a text as curves in its color, at each of its repeats, without an image', async () => {
    const outline = { width: 300, height: 200, path: '0 0 m\n300 0 l\n300 200 l\nh' };
    const placed = placedIn(cmyk, { scale: 0.5, repeat: 'grid' });
    const print = await outlinePrint({ outline, rgb: '#ffffff' }, placed, cmyk, profiles.cmykPath);
    const pdf = await bytesOf((sink) =>
      writePdf(print, { title: '', date, output: profiles.output, rgbProfile: profiles.rgb }, sink),
    );
    expect(pdf.toString('latin1')).not.toContain('/Subtype /Image');
    const content = objectOf(pdf, 4).bytes.toString('latin1').split('\n');
    expect(content[0]).toBe('0 0 0 0 k');
    expect(content).toHaveLength(1 + 9);
    // 20 x 13.33 mm; the first of them begins 10 mm beyond the left edge of the area
    expect(content[1]).toBe('q 56.6929 0 0 -37.7953 -19.8425 107.7165 cm /Artwork Do Q');
    const { dictionary, bytes } = objectOf(pdf, 7);
    expect(dictionary).toContain('/BBox [-2 -2 302 202] /Matrix [0.003333333 0 0 0.005000000 0 0]');
    expect(inflateSync(bytes).toString('latin1')).toBe(`${outline.path}\nf`);
  });

  it('has a text in sRGB, mirrored', async () => {
    const outline = { width: 300, height: 200, path: '0 0 m\n300 0 l\n300 200 l\nh' };
    const mirrored = { ...rgb, mirror: true };
    const print = await outlinePrint({ outline, rgb: '#ff0033' }, placedIn(rgb), mirrored, '');
    const pdf = await bytesOf((sink) =>
      writePdf(print, { title: '', date, output: profiles.output, rgbProfile: profiles.rgb }, sink),
    );
    expect(pdf.toString('latin1')).toContain('/Resources << /ColorSpace << /Colors [/ICCBased 6 0 R] >>');
    expect(objectOf(pdf, 4).bytes.toString('latin1')).toBe(
      '/Colors cs 1 0 0.2 sc\nq -113.3858 0 0 -75.5906 121.8898 88.8189 cm /Artwork Do Q',
    );
  });

  it('declares PDF/X-4 with its printing condition, title and time', async () => {
    const pdf = await pdfOf(cmyk);
    const text = pdf.toString('utf8');
    expect(text).toContain('/S /GTS_PDFX /OutputConditionIdentifier (FOGRA39)');
    expect(text).toContain('pdfxid:GTS_PDFXVersion="PDF/X-4"');
    expect(text).toContain('<rdf:li xml:lang="x-default">Mug &lt;A &amp; B&gt; マグ</rdf:li>');
    expect(text).toContain('/CreationDate (D:20261127201530Z)');
    expect(inflateSync(objectOf(pdf, 5).bytes).equals(profiles.output.profile)).toBe(true);
  });

  it.each([rgb, cmyk])('lists the place of each object: $colorSpace', async (print) => {
    const text = (await pdfOf(print)).toString('latin1');
    const [, start] = /startxref\n(\d+)\n%%EOF\n$/.exec(text)!;
    const entries = text.slice(Number(start)).match(/^\d{10} \d{5} [nf] $/gm)!;
    const used = entries.map((entry, id) => [id, entry] as const).filter(([, entry]) => entry.endsWith('n '));
    expect(used).toHaveLength(print.colorSpace === 'cmyk' ? 9 : 11);
    for (const [id, entry] of used) expect(text.startsWith(`${id} 0 obj\n`, Number(entry.slice(0, 10)))).toBe(true);
  });

  it('has the same bytes for the same product, and another identifier for another one', async () => {
    const [one, same, other] = [await pdfOf(cmyk), await pdfOf(cmyk), await pdfOf({ ...cmyk, dpi: 201 })];
    expect(one.equals(same)).toBe(true);
    const identifier = (pdf: Buffer) => /\/ID \[<([0-9a-f]{32})> <\1>\]/.exec(pdf.toString('latin1'))?.[1];
    expect(identifier(one)).toBeDefined();
    expect(identifier(one)).not.toBe(identifier(other));
  });
});
