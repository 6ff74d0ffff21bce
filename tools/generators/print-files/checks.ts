import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { type Point } from '#placement';
import { quadrants } from '#rendering/testing/test-card.js';
import { pixelOf, type PrintFiles, type TextFiles } from './draw.js';

/** Programs that read print files, with which this project shares no code. */
const programs = ['qpdf', 'gs', 'pdfinfo', 'pdfimages', 'exiftool', 'tiffinfo', 'stream', 'identify', 'transicc'];
export const missingPrograms = (): string[] =>
  programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);

/** Returns the output of a program. @throws Error when it fails */
function run(program: string, args: readonly string[], input = ''): { text: string; bytes: Buffer; warnings: string } {
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, maxBuffer: 2 ** 31 - 1 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? String(stderr)}`);
  return { text: stdout.toString(), bytes: stdout, warnings: stderr.toString() };
}

/** Throws unless two numbers differ by the tolerance at most. */
function expectNear(what: string, actual: number, expected: number, tolerance: number): void {
  // Written so that NaN fails
  if (!(Math.abs(actual - expected) <= tolerance)) throw new Error(`${what} is ${actual}, not ${expected}`);
}

function expectMatch(what: string, text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${what}: ${text} does not match ${String(pattern)}`);
}

/** Pixels of four bytes, as a program has read them from a file. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

const colorAt = ({ width, bytes }: Pixels, { x, y }: Point): number[] => {
  const offset = 4 * (Math.floor(y) * width + Math.floor(x));
  return [...bytes.subarray(offset, offset + 4)];
};

const difference = (one: readonly number[], other: readonly number[]): number =>
  Math.max(...one.map((value, index) => Math.abs(value - other[index]!)));

/** Returns the position between two points at which the first color ends. */
function edgeBetween(pixels: Pixels, from: Point, to: Point): number {
  const steps = Math.round(Math.hypot(to.x - from.x, to.y - from.y));
  const [first, last] = [colorAt(pixels, from), colorAt(pixels, to)];
  for (let step = 0; step <= steps; step++) {
    const part = step / steps;
    const color = colorAt(pixels, { x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y) });
    if (difference(color, last) < difference(color, first)) return part;
  }
  return NaN;
}

/** Centres of the four colors of the test image. */
const patches = [
  { x: 0.25, y: 0.25 },
  { x: 0.75, y: 0.25 },
  { x: 0.25, y: 0.75 },
  { x: 0.75, y: 0.75 },
];

/** Expects that the colors meet within 0.3 mm of the place that the matrix gives. */
function expectPlace(files: PrintFiles, pixels: Pixels): void {
  const [topLeft, topRight, bottomLeft] = patches.map((patch) => pixelOf(files, patch)) as [Point, Point, Point];
  const tolerance = 0.3 / files.raster.pitch;
  const width = topRight.x - topLeft.x;
  const height = bottomLeft.y - topLeft.y;
  expectNear('x of the centre', edgeBetween(pixels, topLeft, topRight) * width, width / 2, tolerance);
  expectNear('y of the centre', edgeBetween(pixels, topLeft, bottomLeft) * height, height / 2, tolerance);
}

/** Pixels of a file by ImageMagick. */
function streamed(file: string, map: 'rgba' | 'cmyk', { raster: { width, height } }: PrintFiles): Pixels {
  const raw = `${file}.raw`;
  run('stream', ['-quiet', '-map', map, '-storage-type', 'char', file, raw]);
  const bytes = readFileSync(raw);
  rmSync(raw);
  expectNear(`size of ${file}`, bytes.length, 4 * width * height, 0);
  return { width, height, bytes };
}

/** Returns the ink of a color by the tables of the profile, as bytes. */
function inkOf(color: readonly number[], profile: string): number[] {
  const { text } = run('transicc', ['-i*sRGB', `-o${profile}`, '-t0', '-n'], `${color.slice(0, 3).join(' ')}\n`);
  const line = text.split('\n').find((it) => /^[\d.]+(?: [\d.]+){3} *$/.test(it))!;
  return line
    .trim()
    .split(' ')
    .map((percent) => Number(percent) * 2.55);
}

/** Expects the colors of the test image, or their ink. */
function expectColors(files: PrintFiles, pixels: Pixels, kind: 'rgb' | 'cmyk', tolerance: number): void {
  for (const patch of patches) {
    const color = [...quadrants(patch.x, patch.y)];
    const expected = kind === 'cmyk' ? inkOf(color, files.profiles.cmykPath) : color;
    const actual = colorAt(pixels, pixelOf(files, patch));
    if (difference(actual, expected) > tolerance)
      throw new Error(`color ${actual.join()} at ${patch.x}, ${patch.y} is not ${expected.join()}`);
  }
}

/** Page of a PDF, drawn by Ghostscript at the resolution of the print. */
function drawn({ pdf, raster, print }: Pick<PrintFiles, 'pdf' | 'raster' | 'print'>): Pixels {
  const { width, height } = raster;
  const [device, channels] = print.colorSpace === 'cmyk' ? ['bitcmyk', 4] : ['bitrgb', 3];
  const options = ['-q', '-dNOPAUSE', '-dBATCH', '-dSAFER', '-sOutputFile=%stdout', '-dGrayValues=256'];
  const size = [`-r${print.dpi}`, `-g${width}x${height}`];
  // The first row of the device is the top of the page; the page is up to one pixel smaller
  const { bytes } = run('gs', [...options, ...size, `-sDEVICE=${device}`, pdf]);
  expectNear('bytes of Ghostscript', bytes.length, channels * width * height, 0);
  if (channels === 4) return { width, height, bytes };
  const wide = Buffer.alloc(4 * width * height, 255);
  for (let i = 0, o = 0; i < bytes.length; i += 3, o += 4) bytes.copy(wide, o, i, i + 3);
  return { width, height, bytes: wide };
}

export interface Check<Files> {
  readonly title: string;
  readonly verify: (files: Files) => void;
}

/** Checks of the files of one print place. Each throws an error that says what differs. */
export const checks: readonly Check<PrintFiles>[] = [
  {
    title: 'qpdf finds no error in the PDF',
    verify: ({ pdf }) => expectMatch('qpdf', run('qpdf', ['--check', pdf]).text, /No syntax or stream encoding errors/),
  },
  {
    title: 'pdfinfo reports PDF/X-4 of PDF 1.6, and TrimBox and BleedBox of the item',
    verify: ({ pdf, print: { area, bleed } }) => {
      const { text } = run('pdfinfo', ['-box', pdf]);
      expectMatch('version', text, /PDF version: +1\.6\n/);
      expectMatch('subtype', text, /PDF subtype: +PDF\/X-4\n/);
      const points = (millimetres: number): number => (millimetres * 72) / 25.4;
      const whole = [0, 0, points(area.width + 2 * bleed), points(area.height + 2 * bleed)];
      const inner = [bleed, bleed, area.width + bleed, area.height + bleed].map(points);
      for (const [name, expected] of [
        ['MediaBox', whole],
        ['BleedBox', whole],
        ['TrimBox', inner],
      ] as const) {
        const box = new RegExp(`${name}: +([\\d.]+) +([\\d.]+) +([\\d.]+) +([\\d.]+)`).exec(text)?.slice(1) ?? [];
        expected.forEach((value, index) => expectNear(`${name} ${index}`, Number(box[index]), value, 0.006));
      }
    },
  },
  {
    title: 'exiftool reads the metadata of the PDF',
    verify: ({ pdf, name }) => {
      const [facts] = JSON.parse(run('exiftool', ['-j', '-G1', pdf]).text) as [Record<string, unknown>];
      const found = ['PDF:Title', 'PDF:PageCount', 'PDF:Trapped', 'XMP-pdf:Trapped', 'XMP-pdfxid:GTS_PDFXVersion'];
      const actual = found.map((key) => String(facts[key])).join();
      expectMatch('metadata', actual, new RegExp(`^${name},1,false,false,PDF/X-4$`));
    },
  },
  {
    title: 'pdfimages finds the image in the resolution and the color space of the item',
    verify: ({ pdf, raster, print }) => {
      const [image] = run('pdfimages', ['-list', pdf]).text.split('\n').slice(2);
      const [, , , width, height, color, , bits, , , , , x, y] = image!.trim().split(/ +/);
      expectNear('width', Number(width), raster.width, 0);
      expectNear('height', Number(height), raster.height, 0);
      expectMatch('color', `${color} ${bits}`, print.colorSpace === 'cmyk' ? /^cmyk 8$/ : /^icc 8$/);
      expectNear('x ppi', Number(x), print.dpi, 1);
      expectNear('y ppi', Number(y), print.dpi, 1);
    },
  },
  {
    title: 'Ghostscript draws the PDF at the place of the matrix, within 0.3 mm',
    verify: (files) => expectPlace(files, drawn(files)),
  },
  {
    title: 'Ghostscript draws the colors of the PDF: ink of the profile, or sRGB',
    verify: (files) => expectColors(files, drawn(files), files.print.colorSpace, 4),
  },
  {
    title: 'tiffinfo reads size, resolution and color space of the TIFF without a warning',
    verify: ({ tiff, raster, print }) => {
      const { text, warnings } = run('tiffinfo', [tiff]);
      expectMatch('warnings', warnings, /^$/);
      expectMatch('size', text, new RegExp(`Image Width: ${raster.width} Image Length: ${raster.height}\\n`));
      expectMatch('resolution', text, new RegExp(`Resolution: ${print.dpi}, ${print.dpi} pixels/inch`));
      const photometric = print.colorSpace === 'cmyk' ? /separated/ : /RGB color/;
      expectMatch('color space', /Photometric Interpretation: (.*)/.exec(text)?.[1] ?? '', photometric);
      if (print.colorSpace === 'rgb') expectMatch('alpha', text, /Extra Samples: 1<unassoc-alpha>/);
    },
  },
  {
    title: 'exiftool finds the ICC profile in the TIFF',
    verify: ({ tiff, print }) => {
      const { text } = run('exiftool', ['-s3', '-ICC_Profile:ProfileDescription', tiff]);
      expectMatch('profile', text, print.colorSpace === 'cmyk' ? /^FOGRA39L coated/ : /^sRGB/);
    },
  },
  {
    title: 'ImageMagick reads the TIFF: place within 0.3 mm, ink of the profile within 2 % or sRGB',
    verify: (files) => {
      const { colorSpace } = files.print;
      const pixels = streamed(files.tiff, colorSpace === 'cmyk' ? 'cmyk' : 'rgba', files);
      expectPlace(files, pixels);
      expectColors(files, pixels, colorSpace, colorSpace === 'cmyk' ? 5 : 1);
    },
  },
  {
    title: 'ImageMagick reads the PNG: place within 0.3 mm, sRGB, transparent outside of the artwork',
    verify: (files) => {
      const pixels = streamed(files.png, 'rgba', files);
      expectPlace(files, pixels);
      expectColors(files, pixels, 'rgb', 1);
      const outside = colorAt(pixels, pixelOf(files, { x: 0.5, y: -0.02 }));
      expectNear('alpha outside', outside[3]!, 0, 0);
    },
  },
  {
    title: 'identify reads size and resolution of the PNG',
    verify: ({ png, raster, print }) => {
      const { text } = run('identify', ['-units', 'PixelsPerInch', '-format', '%m %w %h %[channels] %z %x %y', png]);
      const [format, width, height, channels, depth, x, y] = text.split(' ');
      expectMatch('format', `${format} ${channels} ${depth}`, /^PNG s?rgba 8$/);
      expectNear('width', Number(width), raster.width, 0);
      expectNear('height', Number(height), raster.height, 0);
      expectNear('x resolution', Number(x), print.dpi, 0.02);
      expectNear('y resolution', Number(y), print.dpi, 0.02);
    },
  },
];

/** Part of a square millimetre whose ink may differ: edges within 0.3 mm. */
const maxInkDifference = 0.3;

/** Expects that the ink of the darkest channel covers each square millimetre as in the raster. */
function expectSameInk(files: TextFiles): void {
  const { width, bytes } = drawn(files);
  const isCmyk = files.print.colorSpace === 'cmyk';
  const inkAt = (pixels: Uint8Array, at: number): number => (isCmyk ? pixels[at + 3]! : 255 - pixels[at]!);
  const rows = Buffer.concat(Array.from(files.raster.bands(), (band) => Buffer.from(band)));
  // RGB has its color also where it is transparent
  if (!isCmyk) for (let at = 0; at < rows.length; at += 4) rows[at] = 255 - ((255 - rows[at]!) * rows[at + 3]!) / 255;
  const full = rows.reduce((most, _, at) => (at % 4 === 0 ? Math.max(most, inkAt(rows, at)) : most), 0);
  const side = Math.round(1 / files.raster.pitch);
  const squares = new Map<number, number>();
  for (let at = 0; at < bytes.length; at += 4) {
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    const square = Math.floor(y / side) * width + Math.floor(x / side);
    squares.set(square, (squares.get(square) ?? 0) + Math.abs(inkAt(bytes, at) - inkAt(rows, at)));
  }
  const worst = Math.max(...squares.values()) / side ** 2 / full;
  expectNear('difference of ink', worst, 0, maxInkDifference);
}

/** Checks of the PDF of a text. */
export const textChecks: readonly Check<TextFiles>[] = [
  {
    title: 'qpdf finds no error in the PDF of a text',
    verify: ({ pdf }) => expectMatch('qpdf', run('qpdf', ['--check', pdf]).text, /No syntax or stream encoding errors/),
  },
  {
    title: 'pdfimages finds no image in the PDF of a text',
    verify: ({ pdf }) =>
      expectNear('images', run('pdfimages', ['-list', pdf]).text.trim().split('\n').length - 2, 0, 0),
  },
  {
    title: 'Ghostscript draws the text as its raster, within 0.3 mm',
    verify: expectSameInk,
  },
];
