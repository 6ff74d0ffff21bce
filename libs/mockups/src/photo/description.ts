import { z } from 'zod';
import { type FieldError } from '#kernel';
import { invalidBundle, label, length, name, price, Printing, readFileWithin, unreadable } from '#blanks';

const maxBytes = 1024 ** 2;

const file = z.string().regex(/^\w[\w .-]{0,99}$/, { error: 'must be the name of a file beside the description' });
const pixel = z.number().min(-20_000).max(20_000);
const color = z.string().regex(/^#[0-9a-f]{6}$/, { error: 'must be #rrggbb in lower case' });

/** A point of the photo in pixels, from its upper left corner. The first pixel's centre is 0.5. */
const point = z.tuple([pixel, pixel], { error: 'must be a point [x, y]' }).transform(([x, y]) => ({ x, y }));
const points = (count: number) => z.array(point).length(count, { error: `must have ${count} points` });

const count = z.int({ error: 'must be an integer' }).min(2, { error: 'must be 2 or more' });
/** A mesh of points, row by row, at equal distances on the print area. */
const Mesh = z
  .strictObject({ columns: count.max(40), rows: count.max(40), points: z.array(point).max(1_600) })
  .refine(({ columns, rows, points: all }) => all.length === columns * rows, {
    error: 'must be columns x rows points',
    path: ['points'],
  });

const markerCount = z.int({ error: 'must be an integer' }).min(4, { error: 'must be 4 or more' }).max(50);

/** A printed grid of markers in another photo from the same position. */
const Markers = z.strictObject({
  photo: file,
  pattern: z.enum(['chessboard', 'dots'], { error: 'must be chessboard or dots' }),
  /** Inner corners of the chessboard, or dots. */
  columns: markerCount,
  rows: markerCount,
  /** Distance of two markers, in millimetres. */
  pitch: length,
  /** Position of the upper left marker in the print area, in millimetres. */
  first: z.strictObject({ x: z.number().min(-5_000).max(5_000), y: z.number().min(-5_000).max(5_000) }),
});

const Area = z
  .strictObject({
    /** Upper left, upper right, lower right, lower left corner of the upright print. */
    corners: points(4).optional(),
    /** Control points of a bicubic Bezier patch, row by row. */
    bezier: points(16).optional(),
    mesh: Mesh.optional(),
    markers: Markers.optional(),
  })
  .refine((area) => Object.keys(area).length === 1, { error: 'must have one of corners, bezier, mesh and markers' });

const Angle = z.strictObject({
  name,
  place: name,
  photo: file,
  /** Square of the photo that the image shows, in pixels. Default: the largest in its middle. */
  crop: z.strictObject({ x: z.int().nonnegative(), y: z.int().nonnegative(), size: z.int() }).optional(),
  /** Color of the photographed blank where it is fully lit. Default: measured in the photo. */
  blankColor: color.optional(),
  /** Part that has the item's color: an image of the photo's size, white = item, or a polygon. */
  mask: z.union([file, z.array(point).min(3).max(2_000)], { error: 'must be a file or at least 3 points [x, y]' }),
  /** `wall`: brightness of the background as in the images that ship. Default: wall. */
  background: z.enum(['wall', 'photo'], { error: 'must be wall or photo' }).default('wall'),
  area: Area,
  essential: z.boolean().default(true),
});

const Description = z.strictObject({
  $schema: z.string().max(500).optional(),
  name,
  displayName: z.strictObject({ ja: label, en: label }),
  category: name,
  /** Yen of each variant. */
  price,
  colors: z.array(name).min(1).max(50).default(['white']),
  sizes: z.array(name).min(1).max(20).default(['free']),
  /** Places that the item can be printed on; the first one is the default. */
  places: z
    .array(
      z.strictObject({
        name,
        price: price.default(0),
        millimetres: z.strictObject({ width: length, height: length }),
        printing: Printing.partial().default({}),
      }),
    )
    .min(1)
    .max(20),
  angles: z.array(Angle).min(1).max(20),
});

export type Description = z.output<typeof Description>;
export type Angle = z.output<typeof Angle>;
export type Area = z.output<typeof Area>;
export type Markers = z.output<typeof Markers>;

/**
 * Reads the description of photos: docs/own-items.md.
 *
 * @throws DomainError `catalog.invalid` with all mistakes
 */
export async function readDescription(path: string): Promise<Description> {
  const given = await readJson(path);
  const { data, error } = Description.safeParse(given);
  const at = (keys: readonly PropertyKey[]): string => keys.map(String).join('.');
  if (!data) throw invalidBundle(error.issues.map((issue) => ({ path: at(issue.path), message: issue.message })));
  const mistakes = mistakesOf(data);
  if (mistakes.length > 0) throw invalidBundle(mistakes);
  return data;
}

async function readJson(path: string): Promise<unknown> {
  const bytes = await readFileWithin(path, maxBytes);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw unreadable(path, 'is not JSON');
  }
}

function mistakesOf({ places, angles }: Description): FieldError[] {
  const mistakes: FieldError[] = [];
  angles.forEach(({ name: angle, place }, i) => {
    if (!places.some((it) => it.name === place))
      mistakes.push({ path: `angles.${i}.place`, message: `${place} is not in places` });
    if (angles.findIndex((it) => it.name === angle) < i)
      mistakes.push({ path: `angles.${i}.name`, message: `${angle} appears twice` });
  });
  return mistakes;
}
