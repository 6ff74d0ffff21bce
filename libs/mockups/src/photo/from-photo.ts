import { dirname, join } from 'node:path';
import { type Rgb } from '#rendering/light.js';
import { unreadable } from '#blanks';
import { iconFile, itemFile } from '../bundle/item-json.js';
import { encodeLayer, visibleGrid } from '../bundle/layer-folder.js';
import { masterSide } from '../bundle/master.js';
import { type Angle, type Description, readDescription } from './description.js';
import { measureColor, separateLight } from './light.js';
import { openPhoto, type Photo, readSquare, type Square, squareOf } from './photo.js';
import { fillPolygon } from './polygon.js';
import { surfaceOf } from './surface.js';

interface Board {
  /** The photo with markers; undefined without. */
  readonly photo: Uint8Array | undefined;
  /** Edge of a square, and the corner of one from that of the area, in millimetres. */
  readonly pitch: number;
  readonly first: { readonly x: number; readonly y: number };
}

/** An angle that was made from a photo. */
interface PhotographedAngle {
  readonly name: string;
  /** The photo as the master shows it: `masterSide` x `masterSide` pixels of three bytes. */
  readonly photo: Uint8Array;
  /** Squares that show the print area: those of the markers, or of 10 mm. */
  readonly board: Board;
  /** Color of the photographed blank where it is fully lit. */
  readonly color: Rgb;
}

/** A bundle that was made from photos. */
interface PhotographedItem {
  readonly name: string;
  /** Files by their path from the bundle. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly angles: readonly PhotographedAngle[];
}

/**
 * Makes a bundle from photos of a blank and their description. Angles are processed one after the
 * other, because each has some 100 MB in memory.
 *
 * @param path JSON file of the description, beside its photos
 * @throws DomainError `catalog.invalid` with the mistakes, each with its path
 */
export async function bundleFromPhotos(path: string): Promise<PhotographedItem> {
  const description = await readDescription(path);
  const files = new Map<string, Buffer>([['item.json', itemFile(factsOf(description))]]);
  const angles: PhotographedAngle[] = [];
  for (const [index, angle] of description.angles.entries()) {
    const made = await photographed(description, angle, { folder: dirname(path), at: `angles.${index}` });
    for (const [file, content] of made.files) files.set(file, content);
    if (index === 0) files.set('icon.svg', iconFile(made.mask, masterSide));
    angles.push(made.angle);
  }
  return { name: description.name, files, angles };
}

const factsOf = ({ angles, ...description }: Description) => ({
  ...description,
  angles: angles.map(({ name, place, essential }) => ({ name, printPlace: place, essential })),
});

/** Largest channel of a color on which steps of 8 bit light become visible in white. */
const darkest = 72;

interface Source {
  readonly folder: string;
  readonly at: string;
}

async function photographed(description: Description, angle: Angle, { folder, at }: Source) {
  const photo = await openPhoto(join(folder, angle.photo), `${at}.photo`);
  const square = squareOf(photo, angle.crop, angle.crop ? `${at}.crop` : `${at}.photo`);
  const { millimetres } = description.places.find(({ name }) => name === angle.place)!;
  const placed = { area: angle.area, photo, square, millimetres, folder, at: `${at}.area` };
  const grid = visibleGrid(angle.name, await surfaceOf(placed));
  const rgb = await readSquare(photo, square, { side: masterSide, channels: 3, at: `${at}.photo` });
  const mask = await maskOf(angle.mask, { photo, square, folder, at: `${at}.mask` });
  const color = angle.blankColor === undefined ? measureColor(rgb, mask) : rgbOf(angle.blankColor);
  if (Math.max(...color) < darkest)
    throw unreadable(
      `${at}.blankColor`,
      `${color.join(', ')} is too dark to measure light on: photograph a white or coloured blank`,
    );
  const planes = separateLight({ side: masterSide, rgb, mask, color, background: angle.background });
  const facts = { item: description.name, angle: angle.name, printPlace: angle.place, printArea: millimetres };
  const files = await encodeLayer({ ...facts, planes, grid });
  const board = await boardOf(angle, square, folder);
  return { files, mask, angle: { name: angle.name, photo: rgb, board, color } };
}

const rgbOf = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

async function maskOf(
  mask: Angle['mask'],
  { photo, square, folder, at }: Source & { readonly photo: Photo; readonly square: Square },
): Promise<Uint8Array> {
  const plane = typeof mask === 'string' ? await readMask(join(folder, mask), photo, square, at) : drawn(mask, square);
  if (!plane.some((value) => value >= 128)) throw unreadable(at, 'covers nothing of the image');
  return plane;
}

function drawn(points: Exclude<Angle['mask'], string>, square: Square): Uint8Array {
  const scale = masterSide / square.size;
  return fillPolygon(
    points.map(({ x, y }) => ({ x: (x - square.x) * scale, y: (y - square.y) * scale })),
    masterSide,
  );
}

async function readMask(path: string, photo: Photo, square: Square, at: string): Promise<Uint8Array> {
  const mask = await openPhoto(path, at);
  if (mask.width !== photo.width || mask.height !== photo.height)
    throw unreadable(
      at,
      `has ${mask.width} x ${mask.height} pixels, not the ${photo.width} x ${photo.height} of the photo`,
    );
  return readSquare(mask, square, { side: masterSide, channels: 1, at });
}

async function boardOf({ area }: Angle, square: Square, folder: string): Promise<Board> {
  if (!area.markers) return { photo: undefined, pitch: 10, first: { x: 0, y: 0 } };
  const { photo: file, pitch, first } = area.markers;
  const photo = await readSquare(await openPhoto(join(folder, file), file), square, {
    side: masterSide,
    channels: 3,
    at: file,
  });
  return { photo, pitch, first };
}
