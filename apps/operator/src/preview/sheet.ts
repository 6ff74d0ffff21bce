import { blanksFolder, packLayers, readPackedLayers, type ValidContent } from '#blanks';
import { projectPath } from '#config';
import { problems } from '#contracts';
import { sharp } from '#images';
import { DomainError } from '#kernel';
import { ownTexture } from '#rendering/own-texture.js';
import { cmykProfileIn } from '#rendering/print/profiles.js';
import { RenderEngine } from '#rendering/render-engine.js';
import { Canvas } from '#rendering/sheet/canvas.js';
import { type PrintTexture } from '#rendering/texture.js';
import { grid, logo, photo } from './artworks.js';

/** Edge in pixels of the images that labels are made for, and smallest one. */
const sizes = { min: 64, default: 300 } as const;
/** Limit of the pixels of all images of a sheet: 444 images of the default size. */
const maxPixels = 40_000_000;
/** Edge in pixels that JPEG can have at most. */
const maxSide = 65_500;

type Item = Pick<ValidContent['item'], 'name' | 'displayName' | 'angles' | 'printPlaces' | 'variants'>;
interface Color {
  readonly name: string;
  readonly displayName: { readonly ja: string; readonly en: string };
  readonly rgb: string;
}

interface Sheet {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
  /** Number of images. */
  readonly images: number;
}

const artworksPerGroup = 3;
const [dark, grey, pale] = [
  [36, 38, 42],
  [122, 124, 128],
  [222, 222, 218],
] as const;

/**
 * Draws an item from all angles in all colors, each with three artworks: a photo, a logo with
 * transparency, and a grid of the print area.
 *
 * @param files of a bundle without mistakes
 * @param colors of the catalog and of the bundle
 * @throws DomainError `catalog.invalid` without angles, or for a sheet of too many pixels
 */
export async function drawSheet(
  files: ReadonlyMap<string, Buffer>,
  item: Item,
  colors: readonly Color[],
  { size, format }: { readonly size: number; readonly format: 'png' | 'jpg' },
): Promise<Sheet> {
  const used = [...new Set(item.variants.map(({ color }) => color))];
  const shown = used.flatMap((name) => colors.find((color) => color.name === name) ?? []);
  if (item.angles.length === 0) throw new DomainError(problems['catalog.invalid'], `${item.name} has no angles.`);
  const layout = layoutOf(item.angles.length, shown.length, size);
  const { canvas, unit } = layout;
  drawTitle(layout, item, shown.length);
  const draw = await drawerOf(files, item, size);
  for (const [row, angle] of item.angles.entries()) {
    const place = item.printPlaces.find(({ name }) => name === angle.printPlace)!;
    const y = layout.sectionAt(row);
    const { width, height } = place.millimetres;
    const end = canvas.label(angle.name, { x: layout.margin, y: y + 22 * unit, em: 20 * unit, rgb: dark });
    const facts = `${place.name}, ${width} x ${height} mm${angle.essential ? '' : ', extra angle'}`;
    canvas.label(facts, { x: end + 12 * unit, y: y + 22 * unit, em: 14 * unit, rgb: grey });
    for (const [index, color] of shown.entries()) {
      const images = await draw(angle.name, place, color.rgb);
      drawGroup(layout, layout.groupAt(row, index), images, color);
    }
  }
  return { bytes: await canvas.encode(format), width: canvas.width, height: canvas.height, images: layout.images };
}

interface Place {
  readonly name: string;
  readonly millimetres: { readonly width: number; readonly height: number };
}

/** Returns a function that draws the images of an angle and color, one for each artwork. */
async function drawerOf(files: ReadonlyMap<string, Buffer>, item: Item, size: number) {
  const { hash, bytes } = packLayers(files);
  const layers = readPackedLayers(bytes, item.name);
  const engine = new RenderEngine({
    blanksFolder,
    packedLayers: () => Promise.resolve(layers),
    cmykProfile: cmykProfileIn(projectPath('libs', 'rendering', 'profiles')),
  });
  const common = [ownTexture(await photo()), ownTexture(await logo())];
  const grids = new Map<string, PrintTexture>();
  for (const { name, millimetres } of item.printPlaces) grids.set(name, ownTexture(await grid(millimetres)));
  return (angle: string, { name: place }: Place, rgb: string): Promise<Buffer[]> =>
    Promise.all(
      [...common, grids.get(place)!].map(async (texture) => {
        const prints = [{ place, texture, resizeMode: null, placed: null }];
        const image = { itemName: item.name, angle, rgb, prints, adjustment: null, layers: hash, oneOfMany: true };
        const png = await engine.render({ ...image, width: size, height: size, format: 'png' });
        return sharp(png).removeAlpha().raw().toBuffer();
      }),
    );
}

interface Layout {
  readonly canvas: Canvas;
  /** Pixels per pixel of a sheet of the default size. */
  readonly unit: number;
  readonly size: number;
  readonly gap: number;
  readonly margin: number;
  readonly images: number;
  readonly sectionAt: (angle: number) => number;
  readonly groupAt: (angle: number, color: number) => { readonly x: number; readonly y: number };
}

/** Arranges the colors of each angle in columns, so that the sheet is about as wide as high. */
function layoutOf(angles: number, colors: number, size: number): Layout {
  const images = angles * colors * artworksPerGroup;
  const unit = Math.max(0.5, size / sizes.default);
  const scaled = (pixels: number): number => Math.round(pixels * unit);
  const [margin, gap, between, caption, heading, title] = [48, 4, 28, 40, 44, 88].map(scaled) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const groupWidth = artworksPerGroup * size + (artworksPerGroup - 1) * gap;
  const sectionHeight = (columns: number): number =>
    heading + Math.ceil(colors / columns) * (size + caption) + scaled(16);
  const widthOf = (columns: number): number => 2 * margin + columns * groupWidth + (columns - 1) * between;
  const heightOf = (columns: number): number => margin + title + angles * sectionHeight(columns) + scaled(12);
  // An empty place in the last row is as bad as another shape
  const badness = (columns: number): number =>
    Math.abs(Math.log(widthOf(columns) / heightOf(columns) / 1.3)) + (Math.ceil(colors / columns) * columns) / colors;
  const columns = Array.from({ length: Math.max(1, colors) }, (_, index) => index + 1).reduce((best, it) =>
    badness(it) < badness(best) ? it : best,
  );
  const [width, height] = [widthOf(columns), heightOf(columns)];
  if (images * size * size > maxPixels || Math.max(width, height) > maxSide) throw tooLarge(images, size);
  const sectionAt = (angle: number): number => margin + title + angle * sectionHeight(columns);
  return {
    canvas: new Canvas(width, height),
    unit,
    size,
    gap,
    margin,
    images,
    sectionAt,
    groupAt: (angle, color) => ({
      x: margin + (color % columns) * (groupWidth + between),
      y: sectionAt(angle) + heading + Math.floor(color / columns) * (size + caption),
    }),
  };
}

function tooLarge(images: number, size: number): DomainError {
  const fitting = Math.floor(Math.sqrt(maxPixels / images));
  const advice = fitting >= sizes.min && fitting < size ? `: use --size ${fitting} or less` : '';
  return new DomainError(
    problems['catalog.invalid'],
    `A sheet of ${images} images of ${size} pixels is too large${advice}.`,
  );
}

function drawTitle({ canvas, margin, unit }: Layout, { name, displayName, angles }: Item, colors: number): void {
  const y = margin + 34 * unit;
  const maxWidth = Math.round(0.6 * canvas.width);
  const end = canvas.label(displayName.en, { x: margin, y, em: 34 * unit, rgb: dark, maxWidth });
  canvas.label(displayName.ja, { x: end + 16 * unit, y, em: 24 * unit, rgb: grey });
  const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const facts = `${name}: ${count(angles.length, 'angle')}, ${count(colors, 'color')}`;
  canvas.label(facts, { x: margin, y: y + 28 * unit, em: 15 * unit, rgb: grey });
}

function drawGroup(
  { canvas, size, gap, unit }: Layout,
  { x, y }: { x: number; y: number },
  images: Buffer[],
  color: Color,
): void {
  images.forEach((data, index) => canvas.image(x + index * (size + gap), y, { width: size, height: size, data }));
  const swatch = Math.round(14 * unit);
  const top = y + size + Math.round(7 * unit);
  canvas.rectangle({ x, y: top, width: swatch, height: swatch }, pale);
  const rgb = [1, 3, 5].map((at) => Number.parseInt(color.rgb.slice(at, at + 2), 16)) as [number, number, number];
  canvas.rectangle({ x: x + 1, y: top + 1, width: swatch - 2, height: swatch - 2 }, rgb);
  const baseline = top + 12 * unit;
  const maxWidth = Math.round(1.8 * size);
  const end = canvas.label(color.displayName.en, {
    x: x + swatch + 8 * unit,
    y: baseline,
    em: 14 * unit,
    rgb: dark,
    maxWidth,
  });
  canvas.label(`${color.name}  ${color.rgb}`, { x: end + 10 * unit, y: baseline, em: 12 * unit, rgb: grey });
}
