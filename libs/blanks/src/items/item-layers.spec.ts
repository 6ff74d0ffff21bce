import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { blanksFolder, readCatalogFiles } from './item.files.js';
import { type ItemFile } from './item-file.schema.js';

interface Layer {
  readonly item: string;
  readonly angle: string;
  readonly printPlace: string;
  readonly printArea: { readonly width: number; readonly height: number };
  /** Width / height of the print area in the image. */
  readonly aspect: number;
  /** Whether the print covers the item up to its edges. */
  readonly cover: boolean;
}

const folder = `${blanksFolder}/items`;

const facts = (item: string, angle: string) =>
  JSON.parse(readFileSync(`${folder}/${item}/layers/${angle}/layer.json`, 'utf8')) as Layer | { readonly of: string };

/**
 * Returns the content of a layer's file. A close-up, which is a crop of another angle, has the
 * content of that angle under its own name.
 */
function layerOf(item: string, angle: string): Layer {
  const layer = facts(item, angle);
  return 'of' in layer ? { ...layerOf(item, layer.of), angle } : layer;
}

const layers = readdirSync(folder)
  .filter((item) => existsSync(`${folder}/${item}/layers`))
  .flatMap((item) => readdirSync(`${folder}/${item}/layers`).map((angle) => layerOf(item, angle)));

const placeOf = (item: ItemFile, place: string) => item.printPlaces.find(({ name }) => name === place);
const { items } = readCatalogFiles(blanksFolder);

/** Layers that the catalog's files require: item, angle, print place and area in millimetres. */
const required = items.flatMap((item) =>
  item.angles.map(({ name: angle, printPlace }) => ({
    item: item.name,
    angle,
    printPlace,
    printArea: placeOf(item, printPlace)?.millimetres,
  })),
);

const key = ({ item, angle }: { item: string; angle: string }) => `${item}/${angle}`;

describe('catalog files and layers of images', () => {
  it('have the same items and angles', () => {
    expect(required.map(key).sort()).toEqual(layers.map(key).sort());
  });

  it.each(layers.map((layer) => [key(layer), layer] as const))(
    'agree on the print place and area of %s',
    (_, layer) => {
      const { item, angle, printPlace, printArea } = layer;
      expect(required.find((it) => key(it) === key(layer))).toEqual({ item, angle, printPlace, printArea });
    },
  );

  it.each(layers.map((layer) => [key(layer), layer] as const))(
    'agree on the aspect ratio of %s within 0.1 %%',
    (_, { item, printPlace, printArea, aspect }) => {
      expect((aspect * printArea.height) / printArea.width).toBeCloseTo(1, 3);
      const { pixels } = placeOf(
        items.find(({ name }) => name === item)!,
        printPlace,
      )!;
      expect((aspect * pixels.height) / pixels.width).toBeCloseTo(1, 3);
    },
  );

  it('have a bleed exactly where the print covers the item up to its edges', () => {
    const bleeds = layers.map(({ item, printPlace }) => {
      const { printing } = placeOf(
        items.find(({ name }) => name === item)!,
        printPlace,
      )!;
      return [item, printing.bleed > 0];
    });
    expect(bleeds).toEqual(layers.map(({ item, cover }) => [item, cover]));
  });
});
