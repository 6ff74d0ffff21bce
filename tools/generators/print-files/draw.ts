import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type PlacedArtwork } from '#contracts';
import { projectPath } from '#config';
import { apply, completePlacement, placeArtwork, type Point } from '#placement';
import { type ItemFile } from '#blanks';
import { writePdf } from '#rendering/print/pdf.js';
import { writePng } from '#rendering/print/png.js';
import { type PrintArea } from '#rendering/print/print-area.js';
import { outlinePrint } from '#rendering/print/print-outline.js';
import { type PrintProfiles, readProfiles } from '#rendering/print/profiles.js';
import { type PrintRaster, rasterize } from '#rendering/print/raster.js';
import { type Sink } from '#rendering/print/sink.js';
import { writeTiff } from '#rendering/print/tiff.js';
import { sourceOf } from '#rendering/print/testing/print-files.js';
import { TextRenderer } from '../../../apps/material-rendering/src/texts/text.renderer.js';
import { paintPng, quadrants } from '#rendering/testing/test-card.js';

/** Print files of one place, and what they must show. */
export interface PrintFiles {
  readonly name: string;
  readonly print: PrintArea;
  readonly raster: PrintRaster;
  readonly placed: PlacedArtwork;
  readonly profiles: PrintProfiles;
  readonly png: string;
  readonly tiff: string;
  readonly pdf: string;
}

/** Size of the test image: four colors that meet in its centre. */
const artwork = { width: 1_200, height: 800 };
/** The test image neither fills the area nor lies in its centre. */
const placement = completePlacement({ scale: 0.8, x: 0.05, y: -0.04 });

/** Returns where a file shows a point of the test image, in pixels. */
export function pixelOf({ placed, print, raster }: PrintFiles, point: Point): Point {
  const { x, y } = apply(placed.matrix, point);
  const seen = print.mirror ? print.area.width - x : x;
  return { x: (seen + print.bleed) / raster.pitch, y: (y + print.bleed) / raster.pitch };
}

async function toFile(path: string, write: (sink: Sink) => Promise<void>): Promise<void> {
  const file = await open(path, 'w');
  try {
    await write(async (bytes) => {
      await file.writeFile(bytes);
    });
  } finally {
    await file.close();
  }
}

const profilesFolder = projectPath('libs', 'rendering', 'profiles');

/** Writes the files of one print place into a folder. */
export async function drawPlace(
  item: ItemFile,
  { name: place, millimetres, printing }: ItemFile['printPlaces'][number],
  folder: string,
): Promise<PrintFiles> {
  const profiles = await readProfiles(profilesFolder);
  const { dpi, bleed, mirror, colorSpace } = printing;
  const print = { area: millimetres, dpi, bleed, mirror, colorSpace };
  const placed = placeArtwork({ artwork, area: millimetres, mode: 'contain' }, placement);
  const bytes = await paintPng(artwork.width, artwork.height, quadrants);
  const source = await sourceOf(bytes);
  const rasterOf = async (area: PrintArea): Promise<PrintRaster> => rasterize(source, placed, area, profiles.cmykPath);
  const raster = await rasterOf(print);
  const name = `${item.name}-${place}`;
  const [png, tiff, pdf] = ['png', 'tif', 'pdf'].map((type) => join(folder, `${name}.${type}`)) as [
    string,
    string,
    string,
  ];
  // A PNG is always RGB
  const rgb = colorSpace === 'rgb' ? raster : await rasterOf({ ...print, colorSpace: 'rgb' });
  await toFile(png, (sink) => writePng(rgb, sink));
  const profile = colorSpace === 'cmyk' ? profiles.output.profile : profiles.rgb;
  await toFile(tiff, (sink) => writeTiff(raster, profile, sink));
  const document = { title: name, date: new Date(0), output: profiles.output, rgbProfile: profiles.rgb };
  await toFile(pdf, (sink) => writePdf(raster, document, sink));
  return { name, print, raster, placed, profiles, png, tiff, pdf };
}

/** Print files of a text, and the pixels of its print. */
export interface TextFiles {
  readonly name: string;
  readonly print: PrintArea;
  readonly raster: PrintRaster;
  readonly pdf: string;
}

const mug = { area: { width: 200, height: 90 }, dpi: 300, bleed: 3, mirror: true, colorSpace: 'cmyk' } as const;
/** Texts with accents, joined letters, a repeat, a rotation, and a mirrored print. */
const texts = [
  { name: 'latin', text: 'Été fi\nÅngström', print: mug, placement: { rotation: 12, scale: 0.7 } },
  { name: 'arabic', text: 'مرحبا بالعالم', print: mug, placement: { scale: 0.3, repeat: 'half-drop', spacing: 6 } },
  {
    name: 'japanese',
    text: '東京タワー',
    print: { ...mug, mirror: false, colorSpace: 'rgb' },
    placement: { scale: 0.9 },
  },
] as const;

/** Writes the PDF of texts into a folder. */
export async function drawTexts(folder: string): Promise<TextFiles[]> {
  const profiles = await readProfiles(profilesFolder);
  const { output, rgb: rgbProfile } = profiles;
  const renderer = new TextRenderer({ timeoutMs: 60_000 });
  const all: TextFiles[] = [];
  for (const { name, text, print, placement: given } of texts) {
    const task = { text, rgb: '#101820' };
    const { bytes } = await renderer.render(task);
    const outline = await renderer.outline(task);
    if (!outline) throw new Error(`the text ${name} has no outline`);
    const placed = placeArtwork({ artwork: outline, area: print.area, mode: 'contain' }, completePlacement(given));
    const raster = await rasterize(await sourceOf(bytes), placed, print, profiles.cmykPath);
    const pdf = join(folder, `text-${name}.pdf`);
    const outlined = await outlinePrint({ outline, rgb: task.rgb }, placed, print, profiles.cmykPath);
    await toFile(pdf, (sink) => writePdf(outlined, { title: name, date: new Date(0), output, rgbProfile }, sink));
    all.push({ name, print, raster, pdf });
  }
  renderer.onApplicationShutdown();
  return all;
}

interface Measurement {
  readonly pixels: string;
  readonly cpuSeconds: Readonly<Record<'TIFF' | 'PDF', number>>;
  readonly peakMegabytes: number;
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Measures a TIFF and a PDF of 300 dpi in CMYK that a photograph fills. */
export async function measureArea(area: PrintArea['area'], photo: Buffer, folder: string): Promise<Measurement> {
  const { cmykPath, output, rgb: rgbProfile } = await readProfiles(profilesFolder);
  const print = { area, dpi: 300, bleed: 0, mirror: false, colorSpace: 'cmyk' } as const;
  const placed = placeArtwork({ artwork: { width: 3, height: 2 }, area, mode: 'cover' });
  const start = cpuSeconds();
  const raster = await rasterize(await sourceOf(photo), placed, print, cmykPath);
  const decoded = cpuSeconds();
  await toFile(join(folder, 'largest.tif'), (sink) => writeTiff(raster, output.profile, sink));
  const withTiff = cpuSeconds();
  await toFile(join(folder, 'largest.pdf'), (sink) =>
    writePdf(raster, { title: 'largest', date: new Date(0), output, rgbProfile }, sink),
  );
  return {
    pixels: `${raster.width} x ${raster.height}`,
    cpuSeconds: { TIFF: withTiff - start, PDF: decoded - start + cpuSeconds() - withTiff },
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}
