import { type BlendMode, type Layer, type PlacedLayer, type Psd, type Warp, writePsdBuffer } from 'ag-psd';
import { type Point } from '../surface.js';

/** Color of a pixel, 0..1 with alpha, at its centre. */
type Paint = (x: number, y: number) => readonly [number, number, number, number];

const id = '20953ddb-9391-11ec-b4f1-c15674f50bc4';

export function pixels(width: number, height: number, paint: Paint) {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 4)
      data.set(
        paint(x + 0.5, y + 0.5).map((it) => 255 * it),
        o,
      );
  return { width, height, data };
}

export const layerOf = (
  name: string,
  box: { left: number; top: number; width: number; height: number },
  paint: Paint,
  more: Layer = {},
): Layer => ({
  name,
  left: box.left,
  top: box.top,
  imageData: pixels(box.width, box.height, (x, y) => paint(x + box.left, y + box.top)),
  ...more,
});

/** Smart object with content of this size at four corners: upper left, clockwise. */
export const smartObject = (
  name: string,
  {
    width,
    height,
    corners,
    warp,
    ...more
  }: {
    width: number;
    height: number;
    corners: readonly (readonly [number, number])[];
    warp?: Warp;
  } & Layer,
): Layer => {
  const placedLayer: PlacedLayer = {
    id,
    placed: id,
    type: 'raster',
    width,
    height,
    resolution: { value: 72, units: 'Density' },
    transform: corners.flat(),
    ...(warp && { warp }),
  };
  const [left, top] = [Math.min(...corners.map(([x]) => x)), Math.min(...corners.map(([, y]) => y))];
  const preview = pixels(8, 8, () => [0.5, 0.5, 0.5, 1]);
  return { name, left: Math.round(left), top: Math.round(top), imageData: preview, placedLayer, ...more };
};

/** A custom warp of one patch with 4 x 4 points in pixels of the content, or of several. */
export const customWarp = (
  points: readonly Point[],
  width: number,
  height: number,
  patches?: [number, number],
): Warp => ({
  style: 'custom',
  value: 0,
  perspective: 0,
  perspectiveOther: 0,
  rotate: 'horizontal',
  uOrder: 4,
  vOrder: 4,
  bounds: {
    top: { value: 0, units: 'Pixels' },
    left: { value: 0, units: 'Pixels' },
    bottom: { value: height, units: 'Pixels' },
    right: { value: width, units: 'Pixels' },
  },
  ...(patches && { deformNumCols: patches[0], deformNumRows: patches[1] }),
  customEnvelopeWarp: {
    meshPoints: points.map(({ x, y }) => ({ x, y })),
    ...(patches && {
      quiltSliceX: Array.from({ length: patches[0] + 1 }, (_, i) => (i * width) / patches[0]),
      quiltSliceY: Array.from({ length: patches[1] + 1 }, (_, i) => (i * height) / patches[1]),
    }),
  },
});

/** Points of a regular mesh of Bezier patches, moved by `move` (0..1 to pixels of the content). */
export function meshPoints([columns, rows]: readonly [number, number], move: (u: number, v: number) => Point): Point[] {
  const [across, down] = [3 * columns + 1, 3 * rows + 1];
  return Array.from({ length: across * down }, (_, i) =>
    move((i % across) / (across - 1), Math.floor(i / across) / (down - 1)),
  );
}

/** A mask of the whole document. */
export const maskOf = (size: number, valueAt: (x: number, y: number) => number) => ({
  left: 0,
  top: 0,
  right: size,
  bottom: size,
  defaultColor: 0,
  imageData: pixels(size, size, (x, y) => {
    const value = valueAt(x, y);
    return [value, value, value, 1];
  }),
});

/** Encodes a document. Its stored image is empty. */
export const psdOf = (size: number, children: Layer[], more: Partial<Psd> = {}): Buffer =>
  writePsdBuffer({ width: size, height: size, children, ...more }, { noBackground: true });

/** Solid color of 0..1 over the whole document. */
export const colorFill = (
  name: string,
  rgb: readonly [number, number, number],
  size: number,
  more: Layer = {},
): Layer => ({
  ...layerOf(name, { left: 0, top: 0, width: size, height: size }, () => [...rgb, 1]),
  vectorFill: { type: 'color', color: { r: 255 * rgb[0], g: 255 * rgb[1], b: 255 * rgb[2] } },
  ...more,
});

export const group = (
  name: string,
  children: Layer[],
  blendMode: BlendMode = 'pass through',
  more: Layer = {},
): Layer => ({
  name,
  children,
  blendMode,
  opened: true,
  ...more,
});
