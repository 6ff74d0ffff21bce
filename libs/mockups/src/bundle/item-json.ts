import { type BundleItem, type Layer, type Printing } from '#blanks';

type Place = BundleItem['printPlaces'][number];

/** Facts of an item that is made from images. All others get values that a person can edit. */
interface ItemFacts {
  readonly name: string;
  readonly displayName: BundleItem['displayName'];
  readonly category: string;
  /** Yen of each variant. */
  readonly price: number;
  readonly colors: readonly string[];
  readonly sizes: readonly string[];
  readonly places: readonly {
    readonly name: string;
    readonly millimetres: Place['millimetres'];
    readonly price: number;
    readonly printing: Partial<Printing>;
  }[];
  readonly angles: BundleItem['angles'];
}

const printing: Printing = {
  technique: 'uv',
  dpi: 300,
  bleed: 0,
  safeZone: 0,
  colorSpace: 'rgb',
  whiteUnderbase: 'dark-colors',
  mirror: false,
};

/** Returns `item.json`. Artwork has the pixels of the printer's resolution. */
export function itemFile(facts: ItemFacts): Buffer {
  const { name, displayName, category, price, colors, sizes, places, angles } = facts;
  const printPlaces = places.map(({ name: place, price: more, millimetres, printing: own }) => {
    const all = { ...printing, ...own };
    const pixels = (length: number): number => Math.round((length * all.dpi) / 25.4);
    const { width, height } = millimetres;
    return {
      name: place,
      price: more,
      millimetres,
      pixels: { width: pixels(width), height: pixels(height) },
      printing: all,
    };
  });
  const item: BundleItem = {
    name,
    displayName,
    category,
    displayOrder: 1_000,
    isEmbroidery: false,
    resizeModes: ['cover', 'contain'],
    defaultPrintPlace: printPlaces[0]!.name,
    imageDescriptions: angles.map((angle) => angle.name),
    printPlaces,
    angles,
    variants: colors.flatMap((color) => sizes.map((size) => ({ color, size, price, enabled: true }))),
  };
  return Buffer.from(`${JSON.stringify(item, null, 2)}\n`);
}

const rays = 64;

/**
 * Returns an icon: the outline of the item, as far as rays from its middle reach.
 *
 * @param mask of the first angle, `side` x `side` bytes
 */
export function iconFile(mask: Uint8Array, side: Layer['width']): Buffer {
  let [count, sumX, sumY] = [0, 0, 0];
  mask.forEach((value, i) => {
    if (value < 128) return;
    count += 1;
    sumX += i % side;
    sumY += Math.floor(i / side);
  });
  const [x, y] = count > 0 ? [sumX / count, sumY / count] : [side / 2, side / 2];
  const outline = Array.from({ length: rays }, (_, i) => {
    const [dx, dy] = [Math.cos((2 * Math.PI * i) / rays), Math.sin((2 * Math.PI * i) / rays)];
    let reach = 0;
    for (let r = 0; r < 1.5 * side; r++) {
      const [column, row] = [Math.round(x + r * dx), Math.round(y + r * dy)];
      if (column < 0 || row < 0 || column >= side || row >= side) break;
      if (mask[row * side + column]! >= 128) reach = r;
    }
    return { x: x + reach * dx, y: y + reach * dy };
  });
  const spread = Math.max(...outline.flatMap((point) => [Math.abs(point.x - x), Math.abs(point.y - y)]), 1);
  const scaled = (value: number, middle: number): string => (32 + ((value - middle) * 28) / spread).toFixed(1);
  const points = outline.map((point) => `${scaled(point.x, x)},${scaled(point.y, y)}`).join(' ');
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><polygon points="${points}" fill="#f4f4f2" ` +
      'stroke="#333" stroke-width="2" stroke-linejoin="round"/></svg>\n',
  );
}
